import type { JsonObject } from '../../json/json-value.ts';
import type { Finding } from '../../manifest/finding.ts';
import { withTransitions, type Condition, type WantedCondition } from '../../reconcile/conditions.ts';
import type { EventSpec } from '../../reconcile/event-spec.ts';
import { readyEvents } from '../../reconcile/finding-events.ts';
import { explainFindings, findingLines } from '../../reconcile/explain-findings.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import type { Outcome } from '../../reconcile/outcome.ts';
import type { Plan } from '../../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, handledReconcileAt } from '../../reconcile/read-object.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../../reconcile/verdict.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import type { CompiledPolicy } from '../language/port.ts';
import type { PolicyTestReport } from '../simulation/run-tests.ts';
import { judgePolicy, type AcceptedPolicy, type JudgeOptions, type RefusedPolicy } from './judge-policy.ts';

/** A policy that only audits for longer than this is probably forgotten. */
const MAX_AUDIT_MS = 90 * 86_400_000;

/** A message of a condition has at most 1 KiB. */
const MAX_MESSAGE = 1000;
const shortened = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text);

const condition = (type: string, isTrue: boolean, reason: string, message: string): WantedCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message: shortened(message),
});

/** What the API says about this generation; what it said about another one does not count. */
function reportOf(policy: KubeObject, type: string): Condition | undefined {
  const report = conditionOf(policy, type);
  return report?.observedGeneration === generationOf(policy) ? report : undefined;
}

/**
 * The mode that holds, as far as it is known here: the API says in `ReplayGatePassed` whether a replay of this
 * generation met the gate. Decisions never read it.
 */
function shownMode({ spec }: PolicyDefinition, policy: KubeObject): 'Enforce' | 'Audit' | 'Disabled' {
  if (spec.mode !== 'Enforce' || spec.promotion?.requireReplay === undefined) return spec.mode;
  return reportOf(policy, 'ReplayGatePassed')?.status === 'True' ? 'Enforce' : 'Audit';
}

function verdictOf(judged: AcceptedPolicy | RefusedPolicy, policy: KubeObject): Verdict {
  if (judged.kind === 'refused') {
    const { reason, message } = judged;
    const errors = judged.findings.filter(({ severity }) => severity === 'error');
    const lines = reason === 'TestsFailed' ? [] : findingLines(errors, '');
    return { kind: 'stalled', reason, message: shortened(message), lines };
  }
  const budget = reportOf(policy, 'WithinBudget');
  if (budget?.status === 'False') return { kind: 'stalled', reason: 'CostBudget', message: budget.message };
  if (judged.definition.spec.mode === 'Disabled')
    return { kind: 'unready', reason: 'Disabled', message: 'spec.mode is Disabled: nothing is decided or recorded.' };
  return { kind: 'ready', reason: 'Accepted', message: 'This version compiles and passes its tests.' };
}

function testCondition({ results }: PolicyTestReport, judged: AcceptedPolicy | RefusedPolicy): WantedCondition {
  if (judged.kind === 'refused' && judged.reason === 'TestsFailed')
    return condition('TestsPassed', false, 'TestsFailed', judged.message);
  if (results.length === 0) return condition('TestsPassed', true, 'NoTests', 'The policy has no tests.');
  return condition('TestsPassed', true, 'TestsPassed', `${results.length} tests passed.`);
}

const shownFindings = (findings: readonly Finding[]): string =>
  findings.length === 0 ? 'Every expression compiles.' : explainFindings(findings, '');

function compileConditions(judged: AcceptedPolicy | RefusedPolicy): readonly WantedCondition[] {
  const { compiled, tests, findings } = judged;
  if (compiled !== undefined && tests !== undefined)
    return [condition('Compiled', true, 'Compiled', shownFindings(findings)), testCondition(tests, judged)];
  const isFault = judged.kind === 'refused' && judged.reason === 'CompileFailed';
  return isFault ? [condition('Compiled', false, 'CompileFailed', judged.message)] : [];
}

/**
 * Whether denials have an effect. The time of its last change says since when a policy only audits. A generation that is
 * refused does not begin that time anew.
 */
function enforcedConditions(
  judged: AcceptedPolicy | RefusedPolicy,
  policy: KubeObject,
  now: number,
): readonly WantedCondition[] {
  const before = conditionOf(policy, 'Enforced');
  if (judged.kind === 'refused') return before === undefined ? [] : [before];
  const mode = shownMode(judged.definition, policy);
  if (mode === 'Disabled') return [];
  if (mode === 'Enforce') return [condition('Enforced', true, 'Enforced', 'Runs that it denies are denied.')];
  const message = 'It only audits: runs that it would deny are recorded.';
  if (auditLeftMs(before, now) > 0) return [condition('Enforced', false, 'Audited', message)];
  const advice = `${message} So it has been for more than 90 days: promote it to Enforce, or remove it.`;
  return [condition('Enforced', false, 'AuditedTooLong', advice)];
}

/** Time until a policy has audited for too long, ms. @param enforced its condition `Enforced` before */
function auditLeftMs(enforced: Pick<Condition, 'status' | 'lastTransitionTime'> | undefined, now: number): number {
  const since = enforced?.status === 'False' ? Date.parse(enforced.lastTransitionTime) : now;
  return Number.isNaN(since) ? MAX_AUDIT_MS : since + MAX_AUDIT_MS - now;
}

function membersFor(
  definition: PolicyDefinition,
  found: { readonly compiled: CompiledPolicy; readonly tests: PolicyTestReport } | undefined,
  policy: KubeObject,
): JsonObject {
  const { digest } = definition;
  if (found === undefined) return { policyDigest: digest };
  const { compiled, tests } = found;
  const passed = tests.results.filter((test) => test.passed).length;
  return {
    policyDigest: digest,
    effectiveMode: shownMode(definition, policy),
    readsFacts: compiled.readsFacts.slice(0, 128),
    costUnits: { ...compiled.costUnits },
    tests: { passed, failed: tests.results.length - passed },
  };
}

function membersOf(judged: AcceptedPolicy | RefusedPolicy, policy: KubeObject): JsonObject {
  const { definition, compiled, tests } = judged;
  if (definition === undefined) return {};
  return membersFor(
    definition,
    compiled === undefined || tests === undefined ? undefined : { compiled, tests },
    policy,
  );
}

/** Events of the conditions that a person waits for. */
function eventsOf(
  policy: KubeObject,
  verdict: Verdict,
  wanted: readonly WantedCondition[],
  before: readonly Condition[],
): readonly EventSpec[] {
  const enforced = wanted.filter(({ type }) => type === 'Enforced');
  return [
    ...readyEvents(policy, verdict, before, { action: 'Compile', warning: verdict.kind === 'stalled' }),
    ...enforced.flatMap((one) =>
      changeEvent(before, one, { action: 'Enforce', warning: one.reason === 'AuditedTooLong' }),
    ),
  ];
}

function outcomeFor(verdict: Verdict, conditions: readonly Condition[], now: number): Outcome {
  const outcome = outcomeOf(verdict);
  const enforced = conditions.find(({ type }) => type === 'Enforced');
  const left = enforced?.status === 'False' ? auditLeftMs(enforced, now) : 0;
  if (outcome.kind !== 'done' || left <= 0) return outcome;
  return { kind: 'requeue-after', ms: left, why: 'it has audited for 90 days' };
}

/**
 * Status of a policy as the manager `orb-operator` owns it: whether this generation compiles and passes its tests. What
 * is in force is decided by the API, from the same functions and the ledger.
 */
export function planPolicy(policy: KubeObject, options: JudgeOptions): Plan {
  const { now } = options;
  const judged = judgePolicy(policy, options);
  const verdict = verdictOf(judged, policy);
  const before = conditionsOf(policy);
  const generation = generationOf(policy);
  const wanted = [...conditionsFor(verdict), ...compileConditions(judged), ...enforcedConditions(judged, policy, now)];
  const conditions = withTransitions(wanted, before, { generation, now });
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(policy),
      ...membersOf(judged, policy),
      conditions,
    },
    events: eventsOf(policy, verdict, wanted, before),
    outcome: outcomeFor(verdict, conditions, now),
  };
}
