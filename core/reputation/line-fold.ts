import type { DayRow, LineEvidence } from './derive.ts';
import {
  DAY_COUNTS,
  foldEntry,
  noRuns,
  type DayCounts,
  type DayKey,
  type FoldTables,
  type LogEvent,
  type RunningCounts,
} from './fold.ts';
import { lineOf, orgOf } from './line.ts';

interface Day {
  readonly key: Omit<DayKey, 'line'>;
  readonly counts: RunningCounts;
}

/**
 * The evidence of one line after the entries that were folded. Unlike `LineJournal` it keeps no earlier sizes: a row for
 * each version, caller and day, however many runs there were.
 */
export class LineFold {
  readonly #days = new Map<string, Day>();
  readonly #events = new Map<number, LogEvent>();
  readonly #retracted = new Set<number>();
  readonly #tables: FoldTables;

  /**
   * @param orbId any version of the line
   * @param entryAt text of an entry below the one that is folded; only retractions read it
   */
  constructor(orbId: string, entryAt: (index: number) => string | undefined) {
    const [ownLine, ownOrg] = [lineOf(orbId), orgOf(orbId)];
    this.#tables = {
      addRuns: (key, counts) => {
        if (key.line === ownLine) this.#add(key, counts);
      },
      addEvent: (event, line, org) => {
        if (line === ownLine || (line === null && org === ownOrg)) this.#events.set(event.index, event);
      },
      retractEvent: (index) => void this.#events.delete(index),
      entryAt,
      noteRetraction: (index) => {
        if (this.#retracted.has(index)) return false;
        this.#retracted.add(index);
        return true;
      },
    };
  }

  /** Call it with the entries 0, 1, 2 … */
  fold(index: number, text: string): void {
    foldEntry(this.#tables, index, text);
  }

  /** What the entries up to now say about the line. */
  evidence(): LineEvidence {
    const days: readonly DayRow[] = [...this.#days.values()].map(({ key, counts }) => ({ ...key, ...counts }));
    return { days, events: [...this.#events.values()] };
  }

  #add({ manifestDigest, callerTag, day, self }: DayKey, counts: Partial<DayCounts>): void {
    const id = `${day} ${callerTag} ${manifestDigest} ${self}`;
    const row = this.#days.get(id) ?? { key: { manifestDigest, callerTag, day, self }, counts: noRuns() };
    this.#days.set(id, row);
    for (const name of DAY_COUNTS) row.counts[name] += counts[name] ?? 0;
  }
}
