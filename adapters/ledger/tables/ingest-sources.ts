import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** Deliveries of a source by what became of them. */
interface DeliveryCounts {
  /** Accepted and not yet mapped. */
  readonly accepted: number;
  /** Mapped since the source was first used. */
  readonly done: number;
  /** Dead letters that are kept. */
  readonly dead: number;
}

/** What the status of a source tells. */
export interface SourceCounts extends DeliveryCounts {
  /** `namespace/name` */
  readonly source: string;
  /** Deliveries that were accepted since the source was first used; repeats are not counted. */
  readonly received: number;
  /** When the last of them came, ms since epoch. */
  readonly lastAt: number;
  /** Bytes of bodies that are kept. */
  readonly bodyBytes: number;
}

interface QueueDepth {
  /** Sources with deliveries that wait to be mapped, the longest queue first. */
  readonly sources: readonly { readonly source: string; readonly waiting: number }[];
  /** When the oldest of them came, ms since epoch; null: none waits. */
  readonly oldestReceivedAt: number | null;
}

/** Sources that ever sent an accepted delivery, with counts that are kept beside each write. */
interface IngestSourcePort {
  /** All zeros for a source that never sent one. */
  readonly deliveryCounts: (source: string) => Promise<DeliveryCounts>;
  readonly sourceCounts: () => Promise<readonly SourceCounts[]>;
  readonly queueDepth: () => Promise<QueueDepth>;
}

const schema: TableSchema = {
  // The number of a source stands in deliveries, signals and states in place of its name.
  6: `CREATE TABLE ingest_sources(
    id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, received INTEGER NOT NULL,
    waiting INTEGER NOT NULL, done INTEGER NOT NULL, dead INTEGER NOT NULL, body_bytes INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;`,
};

/** By how much counts of a source change. */
export interface CountChange {
  readonly received?: number;
  readonly waiting?: number;
  readonly done?: number;
  readonly dead?: number;
  readonly bodyBytes?: number;
}

/** A source in the writer's thread. */
interface SourceRow {
  readonly id: number;
  readonly waiting: number;
}

/** Sources in the writer's thread. */
export interface IngestSourceRows {
  /** Makes the row of a new source. */
  readonly find: (source: string, tenant: string) => SourceRow;
  /** @param at when a delivery came; 0: none did */
  readonly count: (id: number, change: CountChange, at?: number) => void;
  /** Deliveries of all sources that wait. */
  readonly waiting: () => number;
  /** Bytes of the bodies of a source. */
  readonly bodyBytes: (id: number) => number;
  readonly bodyBytesInAll: () => number;
}

export function ingestSourceRows(db: Connection): IngestSourceRows {
  const one = db.prepare('SELECT id, waiting FROM ingest_sources WHERE source = ?');
  const insert = db.prepare(
    `INSERT INTO ingest_sources(source, tenant, received, waiting, done, dead, body_bytes, last_at)
     VALUES (?, ?, 0, 0, 0, 0, 0, 0)`,
  );
  const count = db.prepare(
    `UPDATE ingest_sources SET received = received + ?, waiting = waiting + ?, done = done + ?, dead = dead + ?,
       body_bytes = body_bytes + ?, last_at = max(last_at, ?) WHERE id = ?`,
  );
  const waiting = db.prepare('SELECT coalesce(sum(waiting), 0) AS waiting FROM ingest_sources');
  const bytesOf = db.prepare('SELECT body_bytes AS bytes FROM ingest_sources WHERE id = ?');
  const bytesInAll = db.prepare('SELECT coalesce(sum(body_bytes), 0) AS bytes FROM ingest_sources');
  return {
    find: (source, tenant) => {
      const row = one.get(source);
      if (row !== undefined) return { id: integerOf(row, 'id'), waiting: integerOf(row, 'waiting') };
      return { id: Number(insert.run(source, tenant).lastInsertRowid), waiting: 0 };
    },
    count: (id, { received = 0, waiting: queued = 0, done = 0, dead = 0, bodyBytes = 0 }, at = 0) => {
      count.run(received, queued, done, dead, bodyBytes, at, id);
    },
    waiting: () => integerOf(waiting.get() ?? {}, 'waiting'),
    bodyBytes: (id) => integerOf(bytesOf.get(id) ?? {}, 'bytes'),
    bodyBytesInAll: () => integerOf(bytesInAll.get() ?? {}, 'bytes'),
  };
}

const countsOf = (row: Row): DeliveryCounts => ({
  accepted: integerOf(row, 'waiting'),
  done: integerOf(row, 'done'),
  dead: integerOf(row, 'dead'),
});

const sourceOf = (row: Row): SourceCounts => ({
  source: textOf(row, 'source'),
  received: integerOf(row, 'received'),
  ...countsOf(row),
  lastAt: integerOf(row, 'last_at'),
  bodyBytes: integerOf(row, 'body_bytes'),
});

function ingestSourcePort({ prepare, read }: TableParts<never>): IngestSourcePort {
  const SELECT = 'SELECT source, received, waiting, done, dead, last_at, body_bytes FROM ingest_sources';
  const one = prepare(`${SELECT} WHERE source = ?`);
  const all = prepare(`${SELECT} ORDER BY source`);
  const waiting = prepare('SELECT source, waiting FROM ingest_sources WHERE waiting > 0 ORDER BY waiting DESC, source');
  const oldest = prepare('SELECT received_at FROM deliveries WHERE state = 0 ORDER BY seq LIMIT 1');
  return {
    deliveryCounts: (source) =>
      read(() => {
        const row = one.get(source);
        return row === undefined ? { accepted: 0, done: 0, dead: 0 } : countsOf(row);
      }),
    sourceCounts: () => read(() => all.all().map(sourceOf)),
    queueDepth: () =>
      read(() => {
        const first = oldest.get();
        return {
          sources: waiting.all().map((row) => ({ source: textOf(row, 'source'), waiting: integerOf(row, 'waiting') })),
          oldestReceivedAt: first === undefined ? null : integerOf(first, 'received_at'),
        };
      }),
  };
}

/** Written with deliveries: `sqlite-writer/ingest-writer.ts`. */
export const ingestSourceTable = { schema, port: ingestSourcePort, writers: nothing };
