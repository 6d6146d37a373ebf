import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { checkSchema } from '../../manifest/check-schema.ts';
import type { Finding } from '../../manifest/finding.ts';
import { withTransitions, type WantedCondition } from '../../reconcile/conditions.ts';
import { explainFindings } from '../../reconcile/explain-findings.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import type { Plan } from '../../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, handledReconcileAt } from '../../reconcile/read-object.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../../reconcile/verdict.ts';
import { compileDocument, type CompiledDocument } from '../document/compile-document.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import type { PolicyEngine } from '../language/port.ts';
import { runPolicyTests, type PolicyTestReport } from '../simulation/run-tests.ts';

type Parsed = { readonly ok: true; readonly spec: OrbPolicySpec } | { readonly ok: false; readonly message: string };

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
function parseSpec({ metadata, spec }: KubeObject): Parsed {
  if (!isJsonObject(spec)) return { ok: false, message: 'spec: Write one; {} is enough.' };
  const { namespace = 'default', name } = metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name, namespace } };
  const checked = checkSchema('orbpolicy', { ...envelope, spec });
  return checked.ok
    ? { ok: true, spec: checked.value.spec }
    : { ok: false, message: explainFindings(checked.findings, '') };
}

interface Judged {
  readonly verdict: Verdict;
  readonly conditions: readonly WantedCondition[];
  readonly members: JsonObject;
}

/** A message of a condition has at most 1 KiB. */
const MAX_MESSAGE = 1000;
const shortened = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text);

const errorsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error');

const condition = (type: string, isTrue: boolean, reason: string, message: string): WantedCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message: shortened(message),
});

/**
 * The mode that holds, as far as it is known here: the API says in `ReplayGatePassed` whether a replay of this
 * generation met the gate. Decisions never read it.
 */
function shownMode({ spec }: PolicyDefinition, policy: KubeObject): 'Enforce' | 'Audit' | 'Disabled' {
  if (spec.mode !== 'Enforce' || spec.promotion?.requireReplay === undefined) return spec.mode;
  const gate = conditionOf(policy, 'ReplayGatePassed');
  const isPassed = gate?.status === 'True' && gate.observedGeneration === generationOf(policy);
  return isPassed ? 'Enforce' : 'Audit';
}

function testCondition({ results }: PolicyTestReport): WantedCondition {
  const failed = results.filter(({ passed }) => !passed);
  if (results.length === 0) return condition('TestsPassed', true, 'NoTests', 'The policy has no tests.');
  if (failed.length === 0) return condition('TestsPassed', true, 'TestsPassed', `${results.length} tests passed.`);
  const named = failed.map(({ name, detail }) => `${name}: ${detail}`).join('. ');
  return condition('TestsPassed', false, 'TestsFailed', named);
}

function verdictOf(definition: PolicyDefinition, tests: WantedCondition): Verdict {
  if (tests.status === 'False') return { kind: 'stalled', reason: 'TestsFailed', message: tests.message };
  if (definition.spec.mode === 'Disabled')
    return { kind: 'unready', reason: 'Disabled', message: 'spec.mode is Disabled: nothing is decided or recorded.' };
  return { kind: 'ready', reason: 'Accepted', message: 'This version compiles and passes its tests.' };
}

function judgeCompiled(policy: KubeObject, document: Extract<CompiledDocument, { readonly ok: true }>): Judged {
  const { definition, compiled, findings } = document;
  const report = runPolicyTests(definition, compiled);
  const tests = testCondition(report);
  const failed = report.results.filter(({ passed }) => !passed).length;
  const message = findings.length === 0 ? 'Every expression compiles.' : explainFindings(findings, '');
  return {
    verdict: verdictOf(definition, tests),
    conditions: [condition('Compiled', true, 'Compiled', message), tests],
    members: {
      policyDigest: definition.digest,
      effectiveMode: shownMode(definition, policy),
      readsFacts: compiled.readsFacts.slice(0, 128),
      costUnits: { ...compiled.costUnits },
      tests: { passed: report.results.length - failed, failed },
    },
  };
}

function judge(policy: KubeObject, now: number, engine: PolicyEngine): Judged {
  const parsed = parseSpec(policy);
  if (!parsed.ok) {
    const verdict = { kind: 'stalled', reason: 'SpecInvalid', message: shortened(parsed.message) } as const;
    return { verdict, conditions: [], members: {} };
  }
  const { namespace = 'default', name } = policy.metadata;
  const document = compileDocument({ namespace, name, spec: parsed.spec }, now, engine);
  if (document.ok) return judgeCompiled(policy, document);
  const message = shortened(explainFindings(errorsOf(document.findings), ''));
  return {
    verdict: { kind: 'stalled', reason: 'CompileFailed', message },
    conditions: [condition('Compiled', false, 'CompileFailed', message)],
    members: { policyDigest: document.definition.digest },
  };
}

/**
 * Status of a policy as the manager `orb-operator` owns it: whether this generation compiles and passes its tests. What
 * is in force is decided by the API, from the same functions and the ledger.
 * @param now ms since epoch
 */
export function planPolicy(policy: KubeObject, now: number, engine: PolicyEngine): Plan {
  const { verdict, conditions, members } = judge(policy, now, engine);
  const before = conditionsOf(policy);
  const generation = generationOf(policy);
  const kstatus = conditionsFor(verdict);
  const warning = verdict.kind === 'stalled';
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(policy),
      ...members,
      conditions: withTransitions([...kstatus, ...conditions], before, { generation, now }),
    },
    events: kstatus
      .filter(({ type }) => type === 'Ready')
      .flatMap((wanted) => changeEvent(before, wanted, { action: 'Compile', warning })),
    outcome: outcomeOf(verdict),
  };
}
