const DAY_MS = 86_400_000;
/** In place of the id of an Orb. */
const ALL_ORBS = '';

/** What a run is counted under. */
export interface CountedRun {
  readonly tenant: string;
  /** `namespace.name`. */
  readonly orbiset: string;
  readonly orbId: string;
  /** `key:…`, `sa:…` or `anonymous`. */
  readonly caller: string;
}

/** Runs of this UTC day that policies allowed. */
export interface RunsToday {
  readonly caller: number;
  readonly orbiset: number;
  readonly orb: number;
}

/** Sums of runs by two names. */
class Sums {
  readonly #sums = new Map<string, Map<string, number>>();

  of(one: string, other: string): number {
    return this.#sums.get(one)?.get(other) ?? 0;
  }

  add(one: string, other: string, change: number): void {
    const sums = this.#sums.get(one) ?? new Map<string, number>();
    if (sums.size === 0) this.#sums.set(one, sums);
    sums.set(other, (sums.get(other) ?? 0) + change);
  }
}

/**
 * Counts of the runs of the current UTC day, in memory (policy.md §4). A run counts from its plan on, so that runs that
 * start at the same time see each other; one that does not start is taken back.
 */
export class DayCounts {
  #day = 0;
  #ofCallers = new Sums();
  /** By Orbiset and Orb. The empty name: all Orbs together. */
  #ofOrbisets = new Sums();
  #isKnown = false;

  /** Adds the runs that were stored before this process began. @param now ms since epoch, in the day of the rows */
  load(now: number, rows: readonly (CountedRun & { readonly runs: number })[]): void {
    this.#turn(now);
    for (const row of rows) this.#add(row, row.runs);
    this.#isKnown = true;
  }

  /** @returns undefined: the earlier runs of this day could not be read, so that nobody knows the counts */
  of(run: CountedRun, now: number): RunsToday | undefined {
    this.#turn(now);
    if (!this.#isKnown) return undefined;
    return {
      caller: this.#ofCallers.of(run.tenant, run.caller),
      orbiset: this.#ofOrbisets.of(run.orbiset, ALL_ORBS),
      orb: this.#ofOrbisets.of(run.orbiset, run.orbId),
    };
  }

  /** Counts a run. @returns takes it back, once */
  take(run: CountedRun, now: number): () => void {
    this.#turn(now);
    const day = this.#day;
    this.#add(run, 1);
    let isTaken = true;
    return () => {
      if (isTaken && day === this.#day) this.#add(run, -1);
      isTaken = false;
    };
  }

  #add(run: CountedRun, change: number): void {
    this.#ofCallers.add(run.tenant, run.caller, change);
    this.#ofOrbisets.add(run.orbiset, ALL_ORBS, change);
    this.#ofOrbisets.add(run.orbiset, run.orbId, change);
  }

  /** A new day begins with no runs. A clock that was set back stays in the later day: no count is lost. */
  #turn(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day <= this.#day) return;
    if (this.#day !== 0) this.#isKnown = true;
    this.#day = day;
    this.#ofCallers = new Sums();
    this.#ofOrbisets = new Sums();
  }
}

/** Begin of the UTC day of a time, ms since epoch. */
export const dayBegin = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS;
