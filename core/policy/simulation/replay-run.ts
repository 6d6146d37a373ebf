import { member } from '../../json/members.ts';
import { decide, type DecideOptions } from '../decision/decide.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import { laterFacts } from '../facts/build-facts.ts';
import { rootOf, type Phase } from '../facts/fact-schema.ts';
import { FACTS_SCHEMA, ORB_FACTS } from '../facts/orb-facts.ts';
import type { Facts } from '../language/port.ts';

/** The facts that one phase of a recorded run added; its digest was checked before. */
export interface RecordedFacts {
  readonly phase: Phase;
  /** Of phase Request; of phase Response the provider that answered; null in PreFlight. */
  readonly provider: string | null;
  readonly schema: string;
  readonly facts: Facts;
}

/** A run as a replay reads it. */
export interface RecordedRun {
  /** PreFlight first, Request for each eligible provider, Response; empty when nothing was recorded. */
  readonly snapshots: readonly RecordedFacts[];
  /** Why there are no snapshots. */
  readonly absent: 'facts_not_recorded' | 'facts_erased';
  /** The phase in which the run was denied; undefined: it was allowed. */
  readonly deniedIn: Phase | undefined;
  /** Inputs whose values were recorded, as the policies of that time declared them. */
  readonly inputNames: readonly string[];
}

/** Why a run can't be decided again (policy.md §5). */
type IndeterminateReason =
  | 'fact_not_recorded'
  | 'facts_not_recorded'
  | 'facts_erased'
  | 'schema_mismatch'
  | 'phase_not_reached'
  | 'phase_not_recorded'
  | 'input_fact_not_exposed';

export type ReplayedRun =
  | { readonly kind: 'decided'; readonly decision: 'allow' | 'deny' }
  | { readonly kind: 'indeterminate'; readonly reason: IndeterminateReason; readonly fact: string | undefined };

const indeterminate = (reason: IndeterminateReason, fact?: string): ReplayedRun => ({
  kind: 'indeterminate',
  reason,
  fact,
});

const decided = (decision: 'allow' | 'deny'): ReplayedRun => ({ kind: 'decided', decision });

function factAt(facts: Facts, path: string): unknown {
  const root = rootOf(path);
  return member(member(facts, root), path.slice(root.length + 1));
}

/** A fact that the policies of a phase read and that was not recorded. A nullable fact may have been absent. */
function missingFact(set: PolicySet, facts: Facts, phase: Phase, run: RecordedRun): ReplayedRun | undefined {
  const policies = set.members.filter(({ definition, isMatch }) => definition.phases.includes(phase) && isMatch(facts));
  for (const path of new Set(policies.flatMap(({ compiled }) => compiled.readsFacts))) {
    const input = path.startsWith('inputs.') ? path.slice('inputs.'.length) : undefined;
    if (input !== undefined && !run.inputNames.includes(input)) return indeterminate('input_fact_not_exposed', path);
    const isNullable = input !== undefined || ORB_FACTS.facts.get(path)?.isNullable === true;
    if (!isNullable && factAt(facts, path) === undefined) return indeterminate('fact_not_recorded', path);
  }
  return undefined;
}

interface Replay {
  readonly set: PolicySet;
  readonly run: RecordedRun;
  readonly options: DecideOptions;
}

function replayFacts({ set, run, options }: Replay, facts: Facts, phase: Phase): ReplayedRun {
  return missingFact(set, facts, phase, run) ?? decided(decide(set, facts, phase, options).decision);
}

const isUsed = ({ set }: Replay, phase: Phase): boolean =>
  set.members.some(({ definition }) => definition.phases.includes(phase));

/** A phase that the policies decide in and that was not recorded. */
const unrecorded = ({ run }: Replay): ReplayedRun =>
  indeterminate(run.deniedIn === undefined ? 'phase_not_recorded' : 'phase_not_reached');

/** A run is denied in Request when every provider is. */
function replayRequests(replay: Replay, preFlight: Facts): ReplayedRun {
  const recorded = replay.run.snapshots.filter(({ phase }) => phase === 'Request');
  if (!isUsed(replay, 'Request')) return decided('allow');
  if (recorded.length === 0) return unrecorded(replay);
  const results = recorded.map(({ facts }) => replayFacts(replay, laterFacts(preFlight, facts), 'Request'));
  const open = results.find(({ kind }) => kind === 'indeterminate');
  if (open !== undefined) return open;
  return decided(results.every((result) => result.kind === 'decided' && result.decision === 'deny') ? 'deny' : 'allow');
}

function replayResponse(replay: Replay, preFlight: Facts): ReplayedRun {
  const response = replay.run.snapshots.find(({ phase }) => phase === 'Response');
  if (!isUsed(replay, 'Response')) return decided('allow');
  if (response === undefined) return unrecorded(replay);
  const request = replay.run.snapshots.find(
    ({ phase, provider }) => phase === 'Request' && provider === response.provider,
  );
  const before = request === undefined ? preFlight : laterFacts(preFlight, request.facts);
  return replayFacts(replay, laterFacts(before, response.facts), 'Response');
}

/**
 * Decides a recorded run again with other policies: the same function, on the facts that were recorded. What can't be
 * decided is never taken for allowed or denied.
 */
export function replayRun(set: PolicySet, run: RecordedRun, options: DecideOptions): ReplayedRun {
  const replay = { set, run, options };
  const [first] = run.snapshots;
  if (first === undefined) return indeterminate(run.absent);
  if (run.snapshots.some(({ schema }) => schema !== FACTS_SCHEMA)) return indeterminate('schema_mismatch');
  if (first.phase !== 'PreFlight') return indeterminate('phase_not_recorded');
  const steps = [
    () => replayFacts(replay, first.facts, 'PreFlight'),
    () => replayRequests(replay, first.facts),
    () => replayResponse(replay, first.facts),
  ];
  for (const step of steps) {
    const result = step();
    if (result.kind === 'indeterminate' || result.decision === 'deny') return result;
  }
  return decided('allow');
}
