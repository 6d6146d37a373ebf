import type { JsonObject } from '../../core/json/json-value.ts';
import type { DecidedRule, Denial } from '../../core/policy/decision/decision.ts';
import type { PhaseDecision } from '../../core/policy/decision/run-decision.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { PolicyObligation } from '../../crds/orbpolicy.ts';
import type { ProblemOptions } from '../http/problem-options.ts';
import type { AttemptResult, CallerLimit } from './attempt.ts';
import type { CallResults } from './call-providers.ts';
import type { RunPlan } from './plan.ts';
import { denialsJson } from './policy-json.ts';
import type { RunPolicy } from './run-policy.ts';

/** A limit that held for a run: of these rules with the obligation, those that set its value. */
interface HeldLimit {
  readonly type: CallerLimit;
  /** Undefined: a list, to which every rule adds. */
  readonly value: number | undefined;
  readonly phases: readonly PhaseDecision[];
}

/** A rule that failed binds only when it requires something (policy.md §3.2). */
const binds = ({ enforced, effect, result }: DecidedRule): boolean =>
  enforced && (effect === 'require' || (effect === 'allow' && result === 'true'));

const obligationsOf = ({ members }: PolicySet, { policy, rule }: DecidedRule): readonly PolicyObligation[] =>
  members.find(({ id }) => id === policy)?.definition.spec.rules.find(({ name }) => name === rule)?.obligations ?? [];

function rulesThatSet(set: PolicySet, { type, value, phases }: HeldLimit): readonly Denial[] {
  const isSet = (one: PolicyObligation): boolean => one.type === type && (value === undefined || one.value === value);
  return phases
    .flatMap(({ decision }) => decision.rules)
    .filter((rule) => binds(rule) && obligationsOf(set, rule).some(isSet))
    .map(({ policy, rule, severity }) => ({ code: 'obligation-failed', policy, rule, severity, message: '' }));
}

/** What was decided before a provider was called, and about its request. */
const phasesFor = ({ phases }: RunPolicy, provider: string | null): readonly PhaseDecision[] =>
  phases.filter(({ phase, provider: about }) => phase === 'PreFlight' || (phase === 'Request' && about === provider));

/** Rules by which a provider was left out of the run. */
function refusals(policy: RunPolicy, refused: PhaseDecision): readonly Denial[] {
  const hosts = { type: 'restrictHosts', value: undefined, phases: phasesFor(policy, refused.provider) } as const;
  return refused.decision.denials.flatMap((denial) =>
    denial.policy === '' ? rulesThatSet(policy.set, hosts) : [denial],
  );
}

/** Rules that ended an attempt. */
function endings(policy: RunPolicy, { timeoutMs, shortenedBy }: RunPlan, result: AttemptResult): readonly Denial[] {
  const { endedBy: type, provider, ready } = result;
  if (type === undefined) return [];
  if (type === 'timeoutMs')
    return shortenedBy === 'policy' ? rulesThatSet(policy.set, { type, value: timeoutMs, phases: policy.phases }) : [];
  const value = type === 'maxResponseBytes' ? ready.maxResponseBytes : undefined;
  return rulesThatSet(policy.set, { type, value, phases: phasesFor(policy, provider) });
}

const keyOf = ({ policy, rule, code }: Denial): string => `${code} ${policy}/${rule}`;

/**
 * The parts of a problem that name the policies which ended attempts of a run, or left providers out of it.
 * @returns no member when none did
 */
export function limitOptions(plan: RunPlan, { results }: CallResults): Pick<ProblemOptions, 'detail' | 'extensions'> {
  const { policy } = plan;
  if (policy === undefined) return {};
  const refused = policy.phases.filter(({ phase, decision }) => phase === 'Request' && decision.decision === 'deny');
  const all = [
    ...results.flatMap((result) => endings(policy, plan, result)),
    ...refused.flatMap((one) => refusals(policy, one)),
  ];
  if (all.length === 0) return {};
  const extensions: JsonObject = {
    decision_id: policy.decisionId,
    rules: denialsJson([...new Map(all.map((denial) => [keyOf(denial), denial])).values()]),
  };
  return { detail: 'Policies ended attempts of the run, or left providers out of it: rules names them.', extensions };
}
