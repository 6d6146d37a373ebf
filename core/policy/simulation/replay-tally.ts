import type { ReplayTotals } from './gate.ts';
import type { IndeterminateReason } from './recorded-run.ts';
import type { Compared, Stateful, WalkedRun } from './replay-walk.ts';

/** How many runs have which result. */
export interface ReplayCounts {
  unchanged: number;
  allow_to_deny: number;
  deny_to_allow: number;
  obligations_changed: number;
  /** Decided runs in which a rule failed. They are in one of the counts above, too. */
  error: number;
  indeterminate: number;
}

/** Runs that can't be decided, by reason and fact. */
interface IndeterminateCount {
  readonly reason: IndeterminateReason;
  readonly fact?: string;
  readonly count: number;
}

/** What a replay sums up. */
export interface ReplaySummary {
  /** Receipts that were looked at; the sum of `counts` without `error`. */
  readonly evaluated: number;
  readonly counts: Readonly<ReplayCounts>;
  readonly as_recorded: Readonly<ReplayCounts> | null;
  readonly recomputed: Readonly<ReplayCounts> | null;
  readonly affected: {
    /** With the number of their changed runs, the most first; at most 100. */
    readonly orbs: readonly (readonly [string, number])[];
    readonly callers: readonly (readonly [string, number])[];
    /** Of the first and the last changed run; null without changes. */
    readonly first: string | null;
    readonly last: string | null;
  };
  /** The most frequent first. */
  readonly indeterminate: readonly IndeterminateCount[];
}

const MOST_SHOWN = 100;
/** Orbs or callers that are counted apart; beyond it only those that were seen before. */
const MOST_NAMES = 10_000;

const noCounts = (): ReplayCounts => ({
  unchanged: 0,
  allow_to_deny: 0,
  deny_to_allow: 0,
  obligations_changed: 0,
  error: 0,
  indeterminate: 0,
});

function addTo(counts: ReplayCounts, compared: Compared): void {
  counts[compared.kind] += 1;
  if (compared.kind !== 'indeterminate' && compared.result.hasErrors) counts.error += 1;
}

function addName(names: Map<string, number>, name: string): void {
  const count = names.get(name);
  if (count !== undefined || names.size < MOST_NAMES) names.set(name, (count ?? 0) + 1);
}

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const mostFirst = (names: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...names].toSorted(([one, count], [other, more]) => more - count || byText(one, other)).slice(0, MOST_SHOWN);

const decidedOf = (counts: ReplayCounts): number =>
  counts.unchanged + counts.allow_to_deny + counts.deny_to_allow + counts.obligations_changed;

const time = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

/** Sums up the results of a replay. The order of the runs makes no difference. */
export class ReplayTally {
  readonly #stateful: Stateful;
  readonly #asRecorded = noCounts();
  readonly #recomputed = noCounts();
  readonly #orbs = new Map<string, number>();
  readonly #callers = new Map<string, number>();
  readonly #reasons = new Map<string, { reason: IndeterminateReason; fact?: string; count: number }>();
  #first: number | undefined;
  #last: number | undefined;

  constructor(stateful: Stateful) {
    this.#stateful = stateful;
  }

  /** The result that counts: with the recorded counts of the day, unless only the recomputed ones were asked for. */
  primary({ asRecorded, recomputed }: WalkedRun): Compared {
    return this.#stateful === 'recomputed' ? (recomputed ?? asRecorded) : asRecorded;
  }

  add(walked: WalkedRun): void {
    addTo(this.#asRecorded, walked.asRecorded);
    if (walked.recomputed !== undefined) addTo(this.#recomputed, walked.recomputed);
    const primary = this.primary(walked);
    if (primary.kind === 'indeterminate') this.#addReason(primary.reason, primary.fact);
    else if (primary.kind !== 'unchanged') this.#addChanged(walked);
  }

  summary(): ReplaySummary {
    const isRecomputed = this.#stateful === 'recomputed';
    const counts = isRecomputed ? this.#recomputed : this.#asRecorded;
    return {
      evaluated: decidedOf(counts) + counts.indeterminate,
      counts: { ...counts },
      as_recorded: isRecomputed ? null : { ...this.#asRecorded },
      recomputed: this.#stateful === 'as_recorded' ? null : { ...this.#recomputed },
      affected: {
        orbs: mostFirst(this.#orbs),
        callers: mostFirst(this.#callers),
        first: time(this.#first),
        last: time(this.#last),
      },
      indeterminate: [...this.#reasons.values()].toSorted(
        (one, other) =>
          other.count - one.count || byText(`${one.reason} ${one.fact ?? ''}`, `${other.reason} ${other.fact ?? ''}`),
      ),
    };
  }

  /** What the gate decides by: the larger number of new denials of both modes that were asked for. */
  totals(): Pick<ReplayTotals, 'evaluated' | 'indeterminate' | 'newDenies'> {
    const modes = { as_recorded: [this.#asRecorded], recomputed: [this.#recomputed] };
    const asked = this.#stateful === 'both' ? [this.#asRecorded, this.#recomputed] : modes[this.#stateful];
    return {
      evaluated: Math.min(...asked.map(decidedOf)),
      indeterminate: Math.max(...asked.map(({ indeterminate }) => indeterminate)),
      newDenies: Math.max(...asked.map(({ allow_to_deny }) => allow_to_deny)),
    };
  }

  #addReason(reason: IndeterminateReason, fact: string | undefined): void {
    const key = `${reason} ${fact ?? ''}`;
    const known = this.#reasons.get(key) ?? { reason, ...(fact === undefined ? {} : { fact }), count: 0 };
    known.count += 1;
    this.#reasons.set(key, known);
  }

  #addChanged({ input: { orbId, caller, at } }: WalkedRun): void {
    addName(this.#orbs, orbId);
    addName(this.#callers, caller);
    this.#first = Math.min(this.#first ?? at, at);
    this.#last = Math.max(this.#last ?? at, at);
  }
}
