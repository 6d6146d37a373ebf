import { member, objectAt } from '../../json/members.ts';
import { decide, withApprovals, type DecideOptions } from '../decision/decide.ts';
import type { OrbisetPolicies } from '../../manifest/policies.ts';
import type { Decision } from '../decision/decision.ts';
import { joinObligations, type Obligations } from '../decision/obligations.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import {
  boundTo,
  decidesRequests,
  keptToHosts,
  runDecision,
  undecided,
  usesPhase,
  type PhaseDecision,
  type RunDecision,
} from '../decision/run-decision.ts';
import { laterFacts } from '../facts/build-facts.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { Facts } from '../language/port.ts';
import {
  indeterminate,
  missingFact,
  READABLE_SCHEMAS,
  type Indeterminate,
  type RecordedFacts,
  type RecordedRun,
} from './recorded-run.ts';

/** A run that was decided again. */
export interface DecidedRun {
  readonly kind: 'decided';
  readonly run: RunDecision;
  /** The phase that denies; undefined: the run is allowed. */
  readonly deniedIn: Phase | undefined;
  /** What an allowed run would be bound to. */
  readonly obligations: Obligations;
  /** A rule failed, whatever that meant. */
  readonly hasErrors: boolean;
  /** Facts of the phase that decided. */
  readonly facts: Facts;
}

export type ReplayedRun = DecidedRun | Indeterminate;

export interface ReplayRunOptions extends Omit<DecideOptions, 'orbiset'> {
  /** What the Orbiset says now; undefined: it is gone. */
  readonly orbiset: OrbisetPolicies | undefined;
}

interface Replay {
  readonly set: PolicySet;
  readonly run: RecordedRun;
  readonly options: DecideOptions;
}

/** A decision and the facts that it was made on. */
interface Step extends PhaseDecision {
  readonly facts: Facts;
}

function decidePhase({ set, run, options }: Replay, facts: Facts, phase: Phase): Decision | Indeterminate {
  return missingFact(set, facts, phase, run) ?? decide(set, facts, phase, options);
}

const isOpen = (found: Decision | Indeterminate): found is Indeterminate => 'kind' in found;

/** A phase that the policies decide in and that was not recorded. */
const unrecorded = ({ run }: Replay): Indeterminate =>
  indeterminate(run.deniedIn === undefined ? 'phase_not_recorded' : 'phase_not_reached');

/** A label of the host that came from a secret was recorded as `*`: whether it was allowed is unknown. */
function keptTo(decision: Decision, hosts: readonly string[] | undefined, facts: Facts): Decision | Indeterminate {
  if (hosts === undefined || decision.decision === 'deny') return decision;
  const host = member(objectAt(facts, 'request'), 'host');
  if (typeof host !== 'string' || host.startsWith('*')) return indeterminate('fact_not_recorded', 'request.host');
  return keptToHosts(decision, hosts, host);
}

function replayRequest(replay: Replay, before: Step, recorded: RecordedFacts): Step | Indeterminate {
  const facts = laterFacts(before.facts, recorded.facts);
  const decided = usesPhase(replay.set, 'Request') ? decidePhase(replay, facts, 'Request') : undecided('Request');
  if (isOpen(decided)) return decided;
  const { restrictHosts } = joinObligations(before.decision.obligations, decided.obligations);
  const decision = keptTo(decided, restrictHosts, facts);
  return isOpen(decision) ? decision : { phase: 'Request', provider: recorded.provider, decision, tookMs: 0, facts };
}

/** The decisions on all providers; empty when the policies look at none. */
function replayRequests(replay: Replay, before: Step): readonly Step[] | Indeterminate {
  if (!decidesRequests(replay.set, before.decision.obligations)) return [];
  const recorded = replay.run.snapshots.filter(({ phase }) => phase === 'Request');
  if (recorded.length === 0) return unrecorded(replay);
  const steps: Step[] = [];
  for (const one of recorded) {
    const step = replayRequest(replay, before, one);
    if ('kind' in step) return step;
    steps.push(step);
  }
  return steps;
}

/** @returns undefined: no decision about an answer is due */
function answerOf({ set, run }: Replay): RecordedFacts | Indeterminate | undefined {
  if (!usesPhase(set, 'Response')) return undefined;
  if (run.deniedIn !== undefined && run.deniedIn !== 'Response') return indeterminate('phase_not_reached');
  if (!run.isAnswered) return undefined;
  return run.snapshots.find(({ phase }) => phase === 'Response') ?? indeterminate('phase_not_recorded');
}

function replayResponse(replay: Replay, before: Step, requests: readonly Step[]): Step | Indeterminate | undefined {
  const response = answerOf(replay);
  if (response === undefined || 'kind' in response) return response;
  const { provider } = response;
  const request = requests.find((one) => one.provider === provider);
  // Another provider would have answered, and its answer is unknown.
  if (requests.length > 0 && request?.decision.decision !== 'allow') return indeterminate('phase_not_recorded');
  const facts = laterFacts((request ?? before).facts, response.facts);
  const decision = decidePhase(replay, facts, 'Response');
  return isOpen(decision) ? decision : { phase: 'Response', provider, decision, tookMs: 0, facts };
}

const hasErrors = ({ decision }: Step): boolean => decision.rules.some(({ result }) => result === 'error');

function resultOf(steps: readonly Step[]): DecidedRun {
  const run = runDecision(steps);
  const deciding = steps.find(({ phase, provider }) => phase === run.phase && provider === run.provider);
  return {
    kind: 'decided',
    run,
    deniedIn: run.decision === 'deny' ? run.phase : undefined,
    obligations: boundTo(steps),
    hasErrors: steps.some(hasErrors),
    facts: deciding?.facts ?? {},
  };
}

const isDenied = (steps: readonly Step[]): boolean => runDecision(steps).decision === 'deny';

function replayPhases(replay: Replay, preFlight: Facts): ReplayedRun {
  const decided = decidePhase(replay, preFlight, 'PreFlight');
  if (isOpen(decided)) return decided;
  const decision = withApprovals(decided, replay.run.approved);
  const first: Step = { phase: 'PreFlight', provider: null, decision, tookMs: 0, facts: preFlight };
  if (decision.decision === 'deny') return resultOf([first]);
  const requests = replayRequests(replay, first);
  if ('kind' in requests) return requests;
  const steps = [first, ...requests];
  if (requests.length > 0 && isDenied(steps)) return resultOf(steps);
  const response = replayResponse(replay, first, requests);
  if (response !== undefined && 'kind' in response) return response;
  return resultOf(response === undefined ? steps : [...steps, response]);
}

const STRICTEST: OrbisetPolicies = { defaultEffect: 'deny', requireReady: true };
const LOOSEST: OrbisetPolicies = { defaultEffect: 'allow', requireReady: false };

/** What the Orbiset may have said when the run was decided: what it says now, unless the record tells otherwise. */
function possibleOrbisets(
  now: OrbisetPolicies | undefined,
  then: RecordedRun['defaultEffect'],
): readonly [OrbisetPolicies, ...OrbisetPolicies[]] {
  if (now === undefined) return [LOOSEST, STRICTEST];
  return then === undefined || then === now.defaultEffect ? [now] : [now, { ...now, defaultEffect: then }];
}

function replayUnder(
  set: PolicySet,
  run: RecordedRun,
  options: ReplayRunOptions,
  orbisets: readonly [OrbisetPolicies, ...OrbisetPolicies[]],
): ReplayedRun {
  const [first] = run.snapshots;
  if (first === undefined) return indeterminate(run.absent);
  const [result, ...others] = orbisets.map((orbiset) =>
    replayPhases({ set, run, options: { ...options, orbiset } }, first.facts),
  );
  if (result === undefined) throw new RangeError('a run is decided under one Orbiset at least');
  if (result.kind === 'indeterminate') return result;
  const isSame = others.every((other) => other.kind === 'decided' && other.run.decision === result.run.decision);
  return isSame ? result : indeterminate('orbiset_changed');
}

/**
 * Decides a recorded run again with other policies: the same functions as for the run, on the facts that were recorded.
 * What can't be decided is never taken for allowed or denied (policy.md §6).
 */
export function replayRun(set: PolicySet, run: RecordedRun, options: ReplayRunOptions): ReplayedRun {
  const [first] = run.snapshots;
  if (first === undefined) return indeterminate(run.absent);
  if (run.snapshots.some(({ schema }) => !READABLE_SCHEMAS.includes(schema))) return indeterminate('schema_mismatch');
  if (first.phase !== 'PreFlight') return indeterminate('phase_not_recorded');
  return replayUnder(set, run, options, possibleOrbisets(options.orbiset, run.defaultEffect));
}
