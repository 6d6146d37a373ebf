import { readEntry } from '../../../core/log-entry/entry.ts';
import {
  DAY_COUNTS,
  foldEntry,
  noRuns,
  type DayCounts,
  type DayKey,
  type EventEntry,
  type FoldTables,
  type LogEvent,
  type RunningCounts,
} from '../../../core/reputation/fold.ts';
import { lineOf } from '../../../core/reputation/line.ts';
import type { StatementSync } from 'node:sqlite';
import { logRows } from '../tables/log.ts';
import { insertPublished } from '../tables/published.ts';
import { reputationRows, type NewestEvidence, type ReputationRows } from '../tables/reputation.ts';
import type { Connection } from '../tables/table.ts';
import { insertTierChange } from '../tables/tier-changes.ts';

/** Statements of the tables that follow from the log. */
export interface FoldRows extends ReputationRows {
  readonly entryAt: FoldTables['entryAt'];
  readonly insertPublished: StatementSync;
  readonly insertTierChange: StatementSync;
}

export const foldRows = (db: Connection): FoldRows => ({
  ...reputationRows(db),
  entryAt: logRows(db).entryAt,
  insertPublished: insertPublished(db),
  insertTierChange: insertTierChange(db),
});

interface ChangedDay {
  readonly key: DayKey;
  readonly counts: RunningCounts;
}

/** Whose scores an entry concerns: one version, its line, or all Orbs of an organisation. */
function subjectOf(entry: EventEntry): string {
  switch (entry.kind) {
    case 'org':
      return entry.org;
    case 'publish':
    case 'test_report':
    case 'orb_status':
      return entry.orb_id;
    case 'incident':
    case 'violation':
    case 'audit':
      return lineOf(entry.orb_id ?? '');
    default:
      return entry satisfies never;
  }
}

// JCS puts `algorithm` first in entries of this kind, and in no others.
const TIER_CHANGE = '{"algorithm":';

/**
 * Keeps the tables that follow from the log those of exactly its entries (trust.md §5.2). Runs are collected in memory
 * and written once per transaction. After a rollback, drop it and make another.
 */
export class FoldWriter implements FoldTables {
  readonly #rows: FoldRows;
  readonly #days = new Map<string, ChangedDay>();
  /** Index of the newest entry, by subject. */
  readonly #newest: Record<NewestEvidence['kind'], Map<string, number>> = { run: new Map(), event: new Map() };
  /** Index and text of the entry that is being folded. */
  #index = 0;
  #text = '';
  #isRetraction = false;

  constructor(rows: FoldRows) {
    this.#rows = rows;
  }

  /** Must be called once with each entry, in the order of the log, after it was inserted. */
  fold(index: number, text: string): void {
    this.#index = index;
    this.#text = text;
    this.#isRetraction = false;
    if (text.startsWith(TIER_CHANGE)) this.#noteTierChange(index, text);
    else foldEntry(this, index, text);
  }

  /** Writes the runs since the last call: at least once per transaction, before its commit. */
  store(): void {
    for (const { key, counts } of this.#days.values()) {
      const { line, manifestDigest, callerTag, day, self } = key;
      const columns = DAY_COUNTS.map((name) => counts[name]);
      this.#rows.addRuns.run(line, manifestDigest, callerTag, day, self ? 1 : 0, ...columns);
    }
    this.#days.clear();
    this.#storeNewest('run');
    this.#storeNewest('event');
  }

  addRuns(key: DayKey, counts: Partial<DayCounts>): void {
    const day = this.#dayOf(key);
    for (const name of DAY_COUNTS) day.counts[name] += counts[name] ?? 0;
    this.#newest[this.#isRetraction ? 'event' : 'run'].set(key.line, this.#index);
  }

  addEvent({ index, entry }: LogEvent, line: string | null, org: string): void {
    this.#rows.insertEvent.run(index, entry.kind, line, org, this.#text);
    this.#newest.event.set(subjectOf(entry), index);
    if (entry.kind === 'publish') this.#rows.insertPublished.run(entry.orb_id, entry.manifest_digest);
  }

  retractEvent(index: number, entry: EventEntry): void {
    this.#rows.retractEvent.run(index);
    this.#newest.event.set(subjectOf(entry), this.#index);
  }

  entryAt(index: number): string | undefined {
    return this.#rows.entryAt(index);
  }

  noteRetraction(index: number): boolean {
    this.#isRetraction = true;
    return this.#rows.noteRetraction.run(index).changes === 1;
  }

  #storeNewest(kind: NewestEvidence['kind']): void {
    for (const [subject, index] of this.#newest[kind]) this.#rows.putNewest.run(subject, kind, index);
    this.#newest[kind].clear();
  }

  #noteTierChange(index: number, text: string): void {
    const entry = readEntry(text);
    if (entry?.kind === 'tier_change') this.#rows.insertTierChange.run(entry.orb_id, index);
  }

  #dayOf(key: DayKey): ChangedDay {
    const { line, manifestDigest, callerTag, day, self } = key;
    const id = JSON.stringify([line, manifestDigest, callerTag, day, self]);
    const known = this.#days.get(id);
    if (known !== undefined) return known;
    const made = { key, counts: noRuns() };
    this.#days.set(id, made);
    return made;
  }
}
