import type { DayRow, LineEvidence } from './derive.ts';
import { DAY_COUNTS, type DayCounts, type DayKey, type FoldTables, type LogEvent } from './fold.ts';
import { lineOf, orgOf } from './line.ts';

const FIRST_CAPACITY = 1024;

/** What the fold did to the runs of a line, a row a step: 18 bytes for a receipt. */
class Steps {
  #count = 0;
  /** Index of the entry that made the step. */
  #index = new Float64Array(FIRST_CAPACITY);
  #row = new Uint32Array(FIRST_CAPACITY);
  #change = new Int8Array(FIRST_CAPACITY * DAY_COUNTS.length);

  #grow(): void {
    const capacity = this.#row.length * 2;
    const [index, row, change] = [this.#index, this.#row, this.#change];
    this.#index = new Float64Array(capacity);
    this.#row = new Uint32Array(capacity);
    this.#change = new Int8Array(capacity * DAY_COUNTS.length);
    this.#index.set(index);
    this.#row.set(row);
    this.#change.set(change);
  }

  add(index: number, row: number, counts: Partial<DayCounts>): void {
    if (this.#count === this.#row.length) this.#grow();
    this.#index[this.#count] = index;
    this.#row[this.#count] = row;
    for (const [column, name] of DAY_COUNTS.entries()) {
      this.#change[this.#count * DAY_COUNTS.length + column] = counts[name] ?? 0;
    }
    this.#count += 1;
  }

  /** Sums of all columns of all rows, from the entries below `size`. */
  sums(size: number, rows: number): Int32Array {
    const sums = new Int32Array(rows * DAY_COUNTS.length);
    for (let step = 0; step < this.#count && (this.#index[step] ?? 0) < size; step += 1) {
      const row = (this.#row[step] ?? 0) * DAY_COUNTS.length;
      for (let column = 0; column < DAY_COUNTS.length; column += 1) {
        sums[row + column] = (sums[row + column] ?? 0) + (this.#change[step * DAY_COUNTS.length + column] ?? 0);
      }
    }
    return sums;
  }
}

const countsOf = (sums: Int32Array, row: number): DayCounts => {
  const at = (column: number): number => sums[row * DAY_COUNTS.length + column] ?? 0;
  return {
    success: at(0),
    within_slo: at(1),
    failed: at(2),
    caller_error: at(3),
    platform_error: at(4),
    policy_denied: at(5),
  };
};

const hasRuns = (counts: DayCounts): boolean => DAY_COUNTS.some((name) => counts[name] !== 0);

/**
 * The evidence of one line in memory, at every size of the log that was folded: a recomputation reads the log once and
 * also repeats evaluations of earlier sizes. Pass `at(index)` to `foldEntry` for the entries 0, 1, 2 …
 */
export class LineJournal {
  readonly #line: string;
  readonly #org: string;
  readonly #rows: DayKey[] = [];
  readonly #rowOf = new Map<string, number>();
  readonly #steps = new Steps();
  readonly #events: LogEvent[] = [];
  /** Index of the retraction, by the index of the entry that it takes out. */
  readonly #retractedAt = new Map<number, number>();
  readonly #tables: FoldTables;
  #index = 0;

  /**
   * @param orbId any version of the line
   * @param entryAt text of an entry below the one that is folded; only retractions read it
   */
  constructor(orbId: string, entryAt: (index: number) => string | undefined) {
    this.#line = lineOf(orbId);
    this.#org = orgOf(orbId);
    this.#tables = {
      addRuns: (key, counts) => {
        if (key.line === this.#line) this.#steps.add(this.#index, this.#rowFor(key), counts);
      },
      addEvent: (event, line, org) => {
        if (line === this.#line || (line === null && org === this.#org)) this.#events.push(event);
      },
      // `noteRetraction` has noted it.
      retractEvent: () => undefined,
      entryAt,
      noteRetraction: (index) => {
        if (this.#retractedAt.has(index)) return false;
        this.#retractedAt.set(index, this.#index);
        return true;
      },
    };
  }

  #rowFor(key: DayKey): number {
    const name = `${key.day} ${key.callerTag} ${key.manifestDigest} ${key.self}`;
    const known = this.#rowOf.get(name);
    if (known !== undefined) return known;
    this.#rowOf.set(name, this.#rows.length);
    return this.#rows.push(key) - 1;
  }

  /** Tables for the fold of this entry. */
  at(index: number): FoldTables {
    this.#index = index;
    return this.#tables;
  }

  /** What the entries below `size` say about the line; by default all that were folded. */
  evidence(size = Infinity): LineEvidence {
    const sums = this.#steps.sums(size, this.#rows.length);
    const days: readonly DayRow[] = this.#rows.map((key, row) => ({ ...key, ...countsOf(sums, row) }));
    const isRetracted = (index: number): boolean => (this.#retractedAt.get(index) ?? Infinity) < size;
    return {
      days: days.filter(hasRuns),
      events: this.#events.filter(({ index }) => index < size && !isRetracted(index)),
    };
  }
}
