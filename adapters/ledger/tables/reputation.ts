import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readEntry, type LogEntry } from '../../../core/log-entry/entry.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import type { DayRow, LineEvidence } from '../../../core/reputation/derive.ts';
import { DAY_COUNTS, type EventEntry, type LogEvent } from '../../../core/reputation/fold.ts';
import { lineOf } from '../../../core/reputation/line.ts';
import { sha256 } from '../../keys/primitives.ts';
import { blobOf, integerOf, oneOf, textOf, type Row } from '../sqlite/columns.ts';
import { splitEdge } from '../sqlite/tiles.ts';
import { MAX_CHANGES } from './changes.ts';
import { HEAD } from './log.ts';
import type { PlacedEntry } from './tier-changes.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** What the log says about a line of versions, and the tree that says it. */
interface EvidenceAt extends LineEvidence {
  /** Entries in the tree. */
  readonly size: number;
  /** Root of that tree, 32 bytes. */
  readonly root: Uint8Array;
}

/** The newest entry of the log that the score of a subject reads. */
export interface NewestEvidence {
  /** Id of a version, its line (`lineOf`), or an organisation: the widest of them that the entry is about. */
  readonly subject: string;
  /** `run`: a receipt; `event`: any other entry, also the retraction of one. */
  readonly kind: 'run' | 'event';
  /** Index of the entry; of a retraction it is that of the retraction. */
  readonly logIndex: number;
}

type RetractResult =
  | { readonly kind: 'done'; readonly logIndex: number }
  /** The log has no entry at this index yet. */
  | { readonly kind: 'not-found' }
  /** Entries of this kind can't be retracted, or it was retracted before. */
  | { readonly kind: 'not-retractable' };

/**
 * The evidence for scores (trust.md §5.2). It is folded in the transaction that gives an entry its index. So it must
 * always be that of exactly the entries in the log.
 */
interface ReputationPort {
  /**
   * Everything the score of one line reads, from one state of the ledger. Retracted entries are left out. Other work goes
   * on between slices of a long line; calls wait for each other.
   * @param line `lineOf` of a version
   * @param org whose `org` entries are among the events
   */
  readonly lineEvidence: (line: string, org: string) => Promise<EvidenceAt>;
  /**
   * The newest entry of each subject and kind whose index is greater than `after` (-1: all), in the order of the log, at
   * most 1 000 a call. Entries of one version alone (`publish`, `test_report`, `orb_status`) have that version as their
   * subject, `org` entries the organisation, and all others the line.
   */
  readonly newestEvidence: (after: number) => Promise<readonly NewestEvidence[]>;
  /** The last `limit` entries `orb_status` of a version, the newest first. */
  readonly statusEntries: (orbId: string, limit: number) => Promise<readonly PlacedEntry[]>;
  /** Whether a retraction has taken the entry at this index out of the score. */
  readonly isRetracted: (index: number) => Promise<boolean>;
  /**
   * Appends a `retraction` entry, if its target can be retracted. Must retract an entry once, also for concurrent calls.
   * @param entry text of the retraction, which names the same index
   */
  readonly retract: (entry: string, index: number) => Promise<RetractResult>;
}

export type RetractRow = readonly [op: 'retract', entry: string, index: number];

/** The version of the schema whose fold the tables hold. A later fold has a later number: the log is then read again. */
export const FOLD_VERSION = 4;

const schema: TableSchema = {
  // The index of `org` entries is apart, as these are of no line.
  4: `CREATE TABLE reputation_days(
    line TEXT NOT NULL, manifest_digest TEXT NOT NULL, caller_tag TEXT NOT NULL, day TEXT NOT NULL, self INTEGER NOT NULL,
    success INTEGER NOT NULL, within_slo INTEGER NOT NULL, failed INTEGER NOT NULL, caller_error INTEGER NOT NULL,
    platform_error INTEGER NOT NULL, policy_denied INTEGER NOT NULL,
    PRIMARY KEY (line, manifest_digest, caller_tag, day, self)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reputation_events(
    log_index INTEGER PRIMARY KEY, kind TEXT NOT NULL, line TEXT, org TEXT NOT NULL, json TEXT NOT NULL,
    retracted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX reputation_events_line ON reputation_events(line, log_index) WHERE line IS NOT NULL;
  CREATE INDEX reputation_events_org ON reputation_events(org, log_index) WHERE kind = 'org';
  CREATE INDEX reputation_events_status ON reputation_events(line, log_index) WHERE kind = 'orb_status';
  CREATE TABLE reputation_retractions(log_index INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE reputation_newest(
    subject TEXT NOT NULL, kind TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (subject, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reputation_newest_index ON reputation_newest(log_index);`,
};

/** The tables in the writer's thread. */
export interface ReputationRows {
  /** Adds to the row of a day: line, digest, tag, day, self, then the counts. */
  readonly addRuns: StatementSync;
  /** Index, kind, line, organisation and text of an entry. */
  readonly insertEvent: StatementSync;
  readonly retractEvent: StatementSync;
  /** Subject, kind and index of its newest entry. */
  readonly putNewest: StatementSync;
  /** Changes nothing when the index was retracted before. */
  readonly noteRetraction: StatementSync;
  readonly isRetracted: (index: number) => boolean;
}

const RETRACTED = 'SELECT 1 AS found FROM reputation_retractions WHERE log_index = ?';

export function reputationRows(db: Connection): ReputationRows {
  const retracted = db.prepare(RETRACTED);
  return {
    addRuns: db.prepare(
      `INSERT INTO reputation_days(line, manifest_digest, caller_tag, day, self, ${DAY_COUNTS.join(', ')})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ${DAY_COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    ),
    insertEvent: db.prepare('INSERT INTO reputation_events(log_index, kind, line, org, json) VALUES (?, ?, ?, ?, ?)'),
    retractEvent: db.prepare('UPDATE reputation_events SET retracted = 1 WHERE log_index = ?'),
    putNewest: db.prepare(
      `INSERT INTO reputation_newest(subject, kind, log_index) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET log_index = excluded.log_index`,
    ),
    noteRetraction: db.prepare('INSERT INTO reputation_retractions(log_index) VALUES (?) ON CONFLICT DO NOTHING'),
    isRetracted: (index) => retracted.get(index) !== undefined,
  };
}

const dayOf = (row: Row): DayRow => ({
  manifestDigest: textOf(row, 'manifest_digest'),
  callerTag: textOf(row, 'caller_tag'),
  day: textOf(row, 'day'),
  self: integerOf(row, 'self') === 1,
  success: integerOf(row, 'success'),
  within_slo: integerOf(row, 'within_slo'),
  failed: integerOf(row, 'failed'),
  caller_error: integerOf(row, 'caller_error'),
  platform_error: integerOf(row, 'platform_error'),
  policy_denied: integerOf(row, 'policy_denied'),
});

const EVENT_KINDS = {
  publish: true,
  test_report: true,
  incident: true,
  violation: true,
  audit: true,
  org: true,
  orb_status: true,
} as const satisfies Record<EventEntry['kind'], true>;
const isEvent = (entry: LogEntry | undefined): entry is EventEntry =>
  entry !== undefined && Object.hasOwn(EVENT_KINDS, entry.kind);

function eventOf(row: Row): LogEvent {
  const entry = readEntry(textOf(row, 'json'));
  if (!isEvent(entry)) throw new TypeError('the ledger holds an event that is none');
  return { index: integerOf(row, 'log_index'), entry };
}

const KEY = 'manifest_digest, caller_tag, day, self';
const DAYS = `SELECT ${KEY}, ${DAY_COUNTS.join(', ')} FROM reputation_days WHERE line = ? ORDER BY ${KEY}`;
const EVENTS = `SELECT log_index, json FROM reputation_events WHERE line = ? AND retracted = 0
  UNION ALL SELECT log_index, json FROM reputation_events WHERE kind = 'org' AND org = ? AND retracted = 0
  ORDER BY log_index`;

// A line may have 100 000 rows, which take 0.3 s. Requests are served between slices of some 5 ms.
const SLICE_ROWS = 1000;

async function inSlices<T>(rows: Iterable<Row>, parse: (row: Row) => T): Promise<readonly T[]> {
  const parsed: T[] = [];
  for (const row of rows) {
    parsed.push(parse(row));
    if (parsed.length % SLICE_ROWS === 0) await nextTurn();
  }
  return parsed;
}

type ReadEvidence = (line: string, org: string) => Promise<EvidenceAt>;

/** Reads in one transaction, which lasts several turns: on a connection that nothing else uses, one call at a time. */
function evidenceReader(db: Connection): ReadEvidence {
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')];
  const [days, events, head] = [db.prepare(DAYS), db.prepare(EVENTS), db.prepare(HEAD)];
  return async (line, org) => {
    begin.run();
    try {
      const row = head.get() ?? {};
      const root = rootOf(splitEdge(blobOf(row, 'edge')), sha256);
      return {
        days: await inSlices(days.iterate(line), dayOf),
        events: await inSlices(events.iterate(line, org), eventOf),
        size: integerOf(row, 'size'),
        root,
      };
    } finally {
      end.run();
    }
  };
}

/** Calls wait for each other; the first one opens the connection. */
function oneAtATime(open: () => ReadEvidence): ReadEvidence {
  let reader: ReadEvidence | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (line, org) => {
    const next = last.then(() => {
      reader ??= open();
      return reader(line, org);
    });
    last = next.catch(() => undefined);
    return next;
  };
}

function retractResult(result: RowResult): RetractResult {
  if (typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result?.[0] === 'missing') return { kind: 'not-found' };
  if (result?.[0] === 'conflict') return { kind: 'not-retractable' };
  throw unexpected(result);
}

const KINDS = ['run', 'event'] as const;

const newestOf = (row: Row): NewestEvidence => ({
  subject: textOf(row, 'subject'),
  kind: oneOf(KINDS, row, 'kind'),
  logIndex: integerOf(row, 'log_index'),
});

const NEWEST = `SELECT subject, kind, log_index FROM reputation_newest WHERE log_index > ?
  ORDER BY log_index LIMIT ${MAX_CHANGES}`;

// Its index has the few changes of status of the whole line.
const STATUS_ENTRIES = `SELECT log_index, json FROM reputation_events
  WHERE line = ? AND kind = 'orb_status' AND json_extract(json, '$.orb_id') = ? ORDER BY log_index DESC LIMIT ?`;

function reputationPort({ prepare, longReads, read, writeLogged }: TableParts<RetractRow>): ReputationPort {
  const evidence = oneAtATime(() => evidenceReader(longReads()));
  const retracted = prepare(RETRACTED);
  const newest = prepare(NEWEST);
  const statuses = prepare(STATUS_ENTRIES);
  return {
    lineEvidence: (line, org) => read(() => evidence(line, org)),
    newestEvidence: (after) => read(() => newest.all(after).map(newestOf)),
    statusEntries: (orbId, limit) =>
      read(() =>
        statuses
          .all(lineOf(orbId), orbId, limit)
          .map((row) => ({ index: integerOf(row, 'log_index'), entry: textOf(row, 'json') })),
      ),
    isRetracted: (index) => read(() => retracted.get(index) !== undefined),
    retract: async (entry, index) => retractResult(await writeLogged(['retract', entry, index])),
  };
}

/** Written with the log, by `sqlite-writer/fold-writer.ts`. */
export const reputationTable = { schema, port: reputationPort, writers: nothing };
