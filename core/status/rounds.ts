import { SERVICES, type Service, type ServiceState } from './service.ts';
import { stateInMaintenance, type Maintenance } from './maintenance.ts';
import type { StateInterval } from './timeline.ts';

const DAY_MS = 86_400_000;

/** A prober's clock may be this far ahead, ms. */
const FUTURE_MS = 5000;

/** The oldest round that is still taken, ms: the journal of a prober holds as much. */
const OLDEST_ROUND_MS = 30 * DAY_MS;

/** The longest time for which a round may hold, ms: 1.5 times the longest interval between rounds. */
const LONGEST_ROUND_MS = 450_000;

/** What a round found. It holds from its beginning until the next one begins. Times are milliseconds since the epoch. */
export interface Round {
  readonly at: number;
  readonly until: number;
  readonly states: Readonly<Partial<Record<Service, ServiceState>>>;
}

/** A round of one service that was taken. */
export interface KeptRound {
  readonly at: number;
  readonly until: number;
  /** As the prober found it, before maintenance. */
  readonly state: ServiceState;
}

/** What is kept of a service. */
export interface KeptService {
  /** End of its last interval; -Infinity: it has none. */
  readonly end: number;
  /** Its newest rounds by their beginning. A round that was forgotten can't be repeated: it overlaps what is kept. */
  readonly rounds: ReadonlyMap<number, KeptRound>;
}

/** A stretch to be written, and the round that it is of. */
export interface NewStretch extends StateInterval {
  readonly service: Service;
}

/** A new round of a service, or a longer one in place of the round with the same beginning. */
export interface TakenRound extends KeptRound {
  readonly service: Service;
  /** The state that is kept: an outage within a maintenance window is maintenance. */
  readonly inForce: ServiceState;
  readonly isNew: boolean;
}

export type RoundProblem = 'future' | 'too-old' | 'too-long' | 'order' | 'overlap' | 'changed';

export type RoundsVerdict =
  | { readonly kind: 'taken'; readonly stretches: readonly NewStretch[]; readonly rounds: readonly TakenRound[] }
  /** @param position index of the round among those that were told */
  | { readonly kind: 'refused'; readonly position: number; readonly problem: RoundProblem };

function timesProblem({ at, until }: Round, before: Round | undefined, now: number): RoundProblem | undefined {
  if (until > now + FUTURE_MS || at > now + FUTURE_MS) return 'future';
  if (at < now - OLDEST_ROUND_MS) return 'too-old';
  if (until - at > LONGEST_ROUND_MS) return 'too-long';
  return until <= at || (before !== undefined && at < before.until) ? 'order' : undefined;
}

type Step =
  | { readonly kind: 'stretch'; readonly from: number; readonly isNew: boolean }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly problem: RoundProblem };

/** What one round adds to a service: all of it, only its longer end, or nothing, because it is a repeat. */
function stepOf({ at, until, state }: KeptRound, kept: KeptService): Step {
  const known = kept.rounds.get(at);
  if (known === undefined)
    return at < kept.end ? { kind: 'problem', problem: 'overlap' } : { kind: 'stretch', from: at, isNew: true };
  if (known.state !== state) return { kind: 'problem', problem: 'changed' };
  if (until <= known.until) return { kind: 'nothing' };
  return known.until < kept.end
    ? { kind: 'problem', problem: 'overlap' }
    : { kind: 'stretch', from: known.until, isNew: false };
}

/** Adds rounds one after the other; what was added before counts for those that follow. */
class Adder {
  readonly stretches: NewStretch[] = [];
  readonly rounds: TakenRound[] = [];
  readonly #ends = new Map<Service, KeptService>();
  readonly #keptOf: (service: Service) => KeptService;
  readonly #windows: readonly Maintenance[];

  constructor(keptOf: (service: Service) => KeptService, windows: readonly Maintenance[]) {
    this.#keptOf = keptOf;
    this.#windows = windows;
  }

  add(service: Service, round: KeptRound): RoundProblem | undefined {
    const kept = this.#ends.get(service) ?? this.#keptOf(service);
    const step = stepOf(round, kept);
    if (step.kind === 'problem') return step.problem;
    if (step.kind === 'nothing') return undefined;
    const { at, until, state } = round;
    const inForce = stateInMaintenance({ service, state, at }, this.#windows);
    this.stretches.push({ service, from: step.from, to: until, ...inForce });
    this.rounds.push({ service, ...round, inForce: inForce.state, isNew: step.isNew });
    this.#ends.set(service, { end: until, rounds: kept.rounds });
    return undefined;
  }
}

function addRound(round: Round, adder: Adder): RoundProblem | undefined {
  for (const service of SERVICES) {
    const state = round.states[service];
    if (state === undefined) continue;
    const problem = adder.add(service, { at: round.at, until: round.until, state });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * What rounds that a prober tells add to what is kept; all of them or none.
 *
 * A repeat adds nothing, so a prober that lost the answer tells them again. The last round may be told again with a later
 * end, because a prober tells a round at once and learns only afterwards when the next one begins.
 * @param rounds in order of time
 */
export function takeRounds(
  rounds: readonly Round[],
  kept: { readonly of: (service: Service) => KeptService; readonly windows: readonly Maintenance[] },
  now: number,
): RoundsVerdict {
  const adder = new Adder(kept.of, kept.windows);
  for (const [position, round] of rounds.entries()) {
    const problem = timesProblem(round, rounds[position - 1], now) ?? addRound(round, adder);
    if (problem !== undefined) return { kind: 'refused', position, problem };
  }
  return { kind: 'taken', stretches: adder.stretches, rounds: adder.rounds };
}
