import { readEntry, type EntryKind, type EntryOf, type LogEntry } from '../log-entry/entry.ts';
import { lineOf, orgOf } from './line.ts';

/** Runs that are counted together. */
export interface DayKey {
  /** `lineOf` of the Orb. */
  readonly line: string;
  readonly manifestDigest: string;
  readonly callerTag: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  /** Runs of the publisher itself. They are shown and do not count. */
  readonly self: boolean;
}

/** Runs of a day, by their result. */
export interface DayCounts {
  readonly success: number;
  /** Those of `success` that were within the Orb's own `slo_ms`. */
  readonly within_slo: number;
  /** Outcomes `orb_error` and `timeout`. */
  readonly failed: number;
  readonly caller_error: number;
  readonly platform_error: number;
  readonly policy_denied: number;
}

/** Members of `DayCounts`; the columns of the ledger's table have this order. */
export const DAY_COUNTS = [
  'success',
  'within_slo',
  'failed',
  'caller_error',
  'platform_error',
  'policy_denied',
] as const satisfies readonly (keyof DayCounts)[];

/** Counts that a fold adds to. */
export type RunningCounts = { -readonly [Name in keyof DayCounts]: number };

export const noRuns = (): RunningCounts => ({
  success: 0,
  within_slo: 0,
  failed: 0,
  caller_error: 0,
  platform_error: 0,
  policy_denied: 0,
});

/** Kinds that the fold keeps one by one, and that name an Orb. */
const ORB_EVENTS = {
  publish: true,
  test_report: true,
  incident: true,
  violation: true,
  audit: true,
  orb_status: true,
} as const satisfies Readonly<Partial<Record<EntryKind, true>>>;

/** Entries that a score reads one by one. */
export type EventEntry = EntryOf<keyof typeof ORB_EVENTS | 'org'>;

/** An entry with its place in the log. */
export interface LogEvent {
  readonly index: number;
  readonly entry: EventEntry;
}

/** What the fold changes: tables of the ledger, or maps in memory. */
export interface FoldTables {
  /** Adds runs to those of a day; a retraction takes one away, with a negative number. */
  readonly addRuns: (key: DayKey, counts: Partial<DayCounts>) => void;
  /**
   * @param line of the Orb that the entry is about; null: of no Orb
   * @param org of that Orb, or the organisation that an `org` entry is about
   */
  readonly addEvent: (event: LogEvent, line: string | null, org: string) => void;
  /** @param entry the one at this index, which counts no more */
  readonly retractEvent: (index: number, entry: EventEntry) => void;
  /** Text of an earlier entry; undefined: there is none. */
  readonly entryAt: (index: number) => string | undefined;
  /** False when an earlier retraction had this index. */
  readonly noteRetraction: (index: number) => boolean;
}

const ONE: Readonly<Record<EntryOf<'receipt'>['outcome'], Partial<DayCounts>>> = {
  success: { success: 1 },
  orb_error: { failed: 1 },
  timeout: { failed: 1 },
  policy_denied: { policy_denied: 1 },
  caller_error: { caller_error: 1 },
  platform_error: { platform_error: 1 },
};

const SUCCESS_WITHIN_SLO: Partial<DayCounts> = { success: 1, within_slo: 1 };

const negative = (counts: Partial<DayCounts>): Partial<DayCounts> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));

const countsOf = ({ outcome, duration_ms: duration, slo_ms: slo }: EntryOf<'receipt'>): Partial<DayCounts> =>
  outcome === 'success' && duration <= slo ? SUCCESS_WITHIN_SLO : ONE[outcome];

const dayKey = (entry: EntryOf<'receipt'>): DayKey => ({
  line: lineOf(entry.orb_id),
  manifestDigest: entry.manifest_digest,
  callerTag: entry.caller_tag,
  day: entry.finished_at.slice(0, 10),
  self: entry.self,
});

/** Kinds whose entries can be taken out of a score (trust.md §2.1). */
const RETRACTABLE: ReadonlySet<string> = new Set(['receipt', 'violation', 'incident', 'test_report', 'audit']);

/** Whether an entry of this kind can be retracted. */
export const isRetractable = (kind: string): boolean => RETRACTABLE.has(kind);

function retract(tables: FoldTables, at: number, index: number): void {
  const text = index >= 0 && index < at ? tables.entryAt(index) : undefined;
  const entry = text === undefined ? undefined : readEntry(text);
  if (entry === undefined || !isRetractable(entry.kind) || !tables.noteRetraction(index)) return;
  if (entry.kind === 'receipt') tables.addRuns(dayKey(entry), negative(countsOf(entry)));
  else if (isOrbEvent(entry) && entry.orb_id !== null) tables.retractEvent(index, entry);
}

const isOrbEvent = (entry: LogEntry): entry is EntryOf<keyof typeof ORB_EVENTS> =>
  Object.hasOwn(ORB_EVENTS, entry.kind);

function foldRead(tables: FoldTables, index: number, entry: LogEntry): void {
  if (entry.kind === 'receipt') tables.addRuns(dayKey(entry), countsOf(entry));
  else if (entry.kind === 'retraction') retract(tables, index, entry.index);
  else if (entry.kind === 'org') tables.addEvent({ index, entry }, null, entry.org);
  else if (isOrbEvent(entry) && entry.orb_id !== null) {
    tables.addEvent({ index, entry }, lineOf(entry.orb_id), orgOf(entry.orb_id));
  }
}

// Nearly every entry of a platform whose Orbs are private. JCS puts `finished_at` first there and nowhere else.
const PRIVATE_RECEIPT = '{"finished_at":';

/**
 * Adds one entry of the log to the tables that scores are computed from (trust.md §5.2). The ledger's writer, a
 * recomputation from tiles and the vectors all use this function, so they agree. Entries come in the order of the log.
 * An entry that is not in its form counts for nothing.
 */
export function foldEntry(tables: FoldTables, index: number, text: string): void {
  if (text.startsWith(PRIVATE_RECEIPT)) return;
  const entry = readEntry(text);
  if (entry !== undefined) foldRead(tables, index, entry);
}
