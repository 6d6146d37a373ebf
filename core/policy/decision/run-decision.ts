import { hostAllowed } from '../../egress/host-binding.ts';
import type { CheckResult } from '../../receipt/record.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { Decision, Denial, Violation } from './decision.ts';
import { joinObligations, type Obligations } from './obligations.ts';
import type { PolicySet } from './policy-set.ts';
import { worstViolations } from './worst-violations.ts';

/** What was decided in one phase of a run. */
export interface PhaseDecision {
  readonly phase: Phase;
  /** Of phase Request the provider it is about, of Response the one that answered; null in PreFlight. */
  readonly provider: string | null;
  readonly decision: Decision;
  /** Time that facts and decision took, ms. */
  readonly tookMs: number;
}

/** What policies decided about a run, of all its phases so far (policy.md §3.1, §3.4). */
export interface RunDecision {
  readonly decision: 'allow' | 'deny';
  /** The phase that denied, else the last one. */
  readonly phase: Phase;
  readonly provider: string | null;
  /** Empty when allowed; the first is the one to report. */
  readonly denials: readonly Denial[];
  readonly violations: readonly Violation[];
  /** Result of the check `policy` of the receipt. */
  readonly check: Extract<CheckResult, 'pass' | 'fail' | 'unknown'>;
  readonly shadow: { readonly decision: 'would_allow' | 'would_deny'; readonly differs: boolean };
}

const isDenied = ({ decision }: PhaseDecision): boolean => decision.decision === 'deny';
const isShadowDenied = ({ decision }: PhaseDecision): boolean => decision.shadow.decision === 'would_deny';

/** What every run without a denial or violation says alike. */
const NONE: readonly never[] = [];

/** A run has no provider left when the decisions on all of them deny. */
const denies = (phases: readonly PhaseDecision[], test: (decision: PhaseDecision) => boolean): boolean => {
  const [only] = phases;
  if (only !== undefined && phases.length === 1) return test(only);
  const requests = phases.filter(({ phase }) => phase === 'Request');
  return (requests.length > 0 && requests.every(test)) || phases.some((one) => one.phase !== 'Request' && test(one));
};

/** The decisions that say something about the run: not those on providers that were left out while others remained. */
function decisive(phases: readonly PhaseDecision[]): readonly PhaseDecision[] {
  if (phases.length === 1) return phases;
  const requests = phases.filter(({ phase }) => phase === 'Request');
  return requests.every(isDenied) ? phases : phases.filter((one) => one.phase !== 'Request' || !isDenied(one));
}

function checkOf(isRunDenied: boolean, counted: readonly PhaseDecision[]): RunDecision['check'] {
  if (isRunDenied) return 'fail';
  return counted.some(({ decision }) => decision.hasIgnoredErrors) ? 'unknown' : 'pass';
}

/** Most runs have one phase. */
function ofOnePhase(only: PhaseDecision, check: RunDecision['check']): RunDecision {
  const { phase, provider, decision } = only;
  const isRunDenied = isDenied(only);
  return {
    decision: decision.decision,
    phase,
    provider,
    denials: isRunDenied ? decision.denials : NONE,
    violations: worstViolations(decision.violations),
    check,
    shadow: { decision: decision.shadow.decision, differs: isShadowDenied(only) !== isRunDenied },
  };
}

/**
 * Puts the decisions of the phases of a run together. A provider that a Request decision denies is left out; the run is
 * denied when none is left.
 * @param phases PreFlight first, Request for each eligible provider in the order of trial, then Response
 */
export function runDecision(phases: readonly PhaseDecision[]): RunDecision {
  const [only] = phases;
  if (only !== undefined && phases.length === 1) return ofOnePhase(only, checkOf(isDenied(only), phases));
  const counted = decisive(phases);
  const isRunDenied = denies(phases, isDenied);
  const deciding = isRunDenied ? counted.find(isDenied) : counted.at(-1);
  if (deciding === undefined) throw new RangeError('a run has at least one decision');
  const wouldDeny = denies(phases, isShadowDenied);
  return {
    decision: isRunDenied ? 'deny' : 'allow',
    phase: deciding.phase,
    provider: deciding.provider,
    denials: isRunDenied ? deciding.decision.denials : NONE,
    violations: worstViolations(counted.flatMap(({ decision }) => decision.violations)),
    check: checkOf(isRunDenied, counted),
    shadow: { decision: wouldDeny ? 'would_deny' : 'would_allow', differs: wouldDeny !== isRunDenied },
  };
}

/** What all phases so far bind the run to, providers that were left out excepted. */
export function boundTo(phases: readonly PhaseDecision[]): Obligations {
  const [only] = phases;
  if (only !== undefined && phases.length === 1) return only.decision.obligations;
  return decisive(phases).reduce<Obligations>(
    (joined, { decision }) => joinObligations(joined, decision.obligations),
    {},
  );
}

/** A decision of a phase that no policy matches. */
export const undecided = (phase: Phase): Decision => ({
  phase,
  decision: 'allow',
  defaultUsed: false,
  denials: [],
  rules: [],
  obligations: {},
  exceptionsUsed: [],
  violations: [],
  shadow: { decision: 'would_allow', differs: false },
  hasIgnoredErrors: false,
});

/**
 * The decision on a provider when the hosts of all obligations are counted: a provider whose address is elsewhere is
 * left out.
 * @param host of the final URL
 */
export function keptToHosts(decision: Decision, hosts: readonly string[] | undefined, host: string): Decision {
  if (decision.decision === 'deny' || hosts === undefined || hostAllowed(host, hosts)) return decision;
  const denial: Denial = {
    code: 'obligation-failed',
    policy: '',
    rule: '',
    severity: 'medium',
    message: 'the provider is at a host that restrictHosts of the policies leaves out',
  };
  return { ...decision, decision: 'deny', defaultUsed: false, denials: [denial] };
}

/** Whether some policy of the set decides in a phase. */
export const usesPhase = ({ members }: PolicySet, phase: Phase): boolean =>
  members.some(({ definition }) => definition.phases.includes(phase));

/**
 * Whether each provider is decided on, and the facts of its request are recorded: a policy looks at requests, or the run
 * is kept to hosts.
 * @param bound what PreFlight binds the run to
 */
export const decidesRequests = (set: PolicySet, { restrictHosts }: Obligations): boolean =>
  restrictHosts !== undefined || usesPhase(set, 'Request');
