import type { StatementSync } from 'node:sqlite';
import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { STATES } from './deliveries.ts';
import { ingestSourceRows, type CountChange } from './ingest-sources.ts';
import { signalStateRows } from './signal-states.ts';
import { signalRows } from './signals.ts';
import {
  numberOf,
  refused,
  type Connection,
  type RowOf,
  type TableParts,
  type WriterParts,
  type Writers,
} from './table.ts';

/** Up to when a source keeps what it has, by the time at which deliveries came; ms since epoch. */
export interface SourceErasure {
  /** Bodies of mapped deliveries that came before this time. A delivery that waits keeps its own. */
  readonly rawBefore: number;
  /** Signals and states from before this time. */
  readonly signalsBefore: number;
}

/** What of ingestion is erased. */
export interface IngestErasure {
  /** By `namespace/name`. */
  readonly sources: ReadonlyMap<string, SourceErasure>;
  /** For sources that are not listed: they were deleted. */
  readonly others: SourceErasure;
  /** Dead letters that came before this time, with their bodies; ms since epoch. */
  readonly deadBefore: number;
  /** Most bytes of bodies of a source, and of all. Mapped ones go first, then dead letters' ones; each the oldest first. */
  readonly bytesPerSource: number;
  readonly bytesInAll: number;
  /** Most rows of one transaction, 1–1000: 200 take some milliseconds of the writer's time. */
  readonly limit: number;
}

/** Ends the time that deliveries and signals are kept. */
interface IngestRetentionPort {
  /**
   * Erases all that is due, in slices that let runs pass between. The key of a delivery is kept 80 h or longer, so that
   * no repeat of a vendor is taken for new; its row stays as long as signals of the source do.
   * @returns rows that were erased
   */
  readonly eraseIngestion: (erasure: IngestErasure) => Promise<number>;
}

/** What is erased of one source: the earliest times that are kept, and bytes of its bodies. */
interface SourceSlice extends SourceErasure {
  /** Number of its row. */
  readonly source: number;
  readonly deadBefore: number;
  readonly now: number;
  readonly bytes: number;
  readonly limit: number;
}

type RetentionOperations = {
  readonly eraseOfSource: readonly [slice: SourceSlice];
  readonly eraseBodies: readonly [bytes: number, limit: number];
};

/** Retry schedules of vendors reach 75 h. */
const KEY_MS = 288_000_000;
const MAX_LIMIT = 1000;
const NO_LIMIT = `a limit is a whole number, 1–${MAX_LIMIT}`;

const isLimit = (limit: number): boolean => Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT;

/** Erases at most so many rows, and returns their number. */
type Erase = (limit: number) => number;

/** Bodies and rows of deliveries, and the counts of their sources. */
interface DeliveryErasure {
  readonly bodiesBefore: (source: number, at: number) => Erase;
  /** The row stays, as that of a mapped delivery. */
  readonly deadBefore: (source: number, at: number) => Erase;
  /** Bodies until a source has no more than so many bytes. */
  readonly bodiesAbove: (source: number, bytes: number) => Erase;
  /** Bodies until all sources together have no more than so many bytes. */
  readonly bodiesAboveInAll: (bytes: number) => Erase;
  /** Rows of mapped deliveries. */
  readonly rowsBefore: (source: number, at: number) => Erase;
}

const cameBefore = (rows: readonly Row[], at: number): readonly Row[] => {
  const young = rows.findIndex((row) => integerOf(row, 'received_at') >= at);
  return young < 0 ? rows : rows.slice(0, young);
};

function deliveryErasure(db: Connection): DeliveryErasure {
  const sources = ingestSourceRows(db);
  const columns = 'deliveries.seq AS seq, source, received_at, bytes, has_body';
  const ofSource = (condition: string): StatementSync =>
    db.prepare(`SELECT ${columns} FROM deliveries WHERE source = ? AND ${condition} ORDER BY seq LIMIT ?`);
  const mapped = ofSource(`state = ${STATES.done} AND has_body = 1`);
  const dead = ofSource(`state = ${STATES.dead}`);
  const deadWithBody = ofSource(`state = ${STATES.dead} AND has_body = 1`);
  const done = ofSource(`state = ${STATES.done}`);
  const inAll = (state: number): StatementSync =>
    db.prepare(
      `SELECT ${columns} FROM delivery_bodies CROSS JOIN deliveries ON deliveries.seq = delivery_bodies.seq
       WHERE state = ${state} ORDER BY delivery_bodies.seq LIMIT ?`,
    );
  const [mappedInAll, deadInAll] = [inAll(STATES.done), inAll(STATES.dead)];
  const dropBody = db.prepare('DELETE FROM delivery_bodies WHERE seq = ?');
  const noBody = db.prepare('UPDATE deliveries SET has_body = 0 WHERE seq = ?');
  const bury = db.prepare(
    `UPDATE deliveries SET state = ${STATES.done}, reason = NULL, pointer = NULL, detail = NULL WHERE seq = ?`,
  );
  const dropRow = db.prepare('DELETE FROM deliveries WHERE seq = ?');
  const eraseBody = (row: Row, change: CountChange = {}): void => {
    const [seq, had] = [integerOf(row, 'seq'), integerOf(row, 'has_body') === 1];
    if (had) {
      dropBody.run(seq);
      noBody.run(seq);
    }
    sources.count(integerOf(row, 'source'), { ...change, bodyBytes: had ? -integerOf(row, 'bytes') : 0 });
  };
  /** Erases bodies, in their order, until so many bytes are gone. */
  const eraseBytes = (rows: readonly Row[], bytes: number): number => {
    let left = bytes;
    let erased = 0;
    for (const row of rows) {
      if (left <= 0) break;
      eraseBody(row);
      left -= integerOf(row, 'bytes');
      erased += 1;
    }
    return erased;
  };
  return {
    bodiesBefore: (source, at) => (limit) => {
      const old = cameBefore(mapped.all(source, limit), at);
      for (const row of old) eraseBody(row);
      return old.length;
    },
    deadBefore: (source, at) => (limit) => {
      const old = cameBefore(dead.all(source, limit), at);
      for (const row of old) {
        eraseBody(row, { dead: -1 });
        bury.run(integerOf(row, 'seq'));
      }
      return old.length;
    },
    bodiesAbove: (source, bytes) => (limit) => {
      if (sources.bodyBytes(source) <= bytes) return 0;
      const first = eraseBytes(mapped.all(source, limit), sources.bodyBytes(source) - bytes);
      return first + eraseBytes(deadWithBody.all(source, limit - first), sources.bodyBytes(source) - bytes);
    },
    bodiesAboveInAll: (bytes) => (limit) => {
      if (sources.bodyBytesInAll() <= bytes) return 0;
      const first = eraseBytes(mappedInAll.all(limit), sources.bodyBytesInAll() - bytes);
      return first + eraseBytes(deadInAll.all(limit - first), sources.bodyBytesInAll() - bytes);
    },
    rowsBefore: (source, at) => (limit) => {
      const old = cameBefore(done.all(source, limit), at);
      for (const row of old) dropRow.run(integerOf(row, 'seq'));
      return old.length;
    },
  };
}

function ingestRetentionWriters(db: WriterParts): Writers<RetentionOperations> {
  const deliveries = deliveryErasure(db);
  const signals = signalRows(db);
  const states = signalStateRows(db);
  return {
    eraseOfSource: ({ source, rawBefore, signalsBefore, deadBefore, now, bytes, limit }) => {
      if (![rawBefore, signalsBefore, deadBefore, now, bytes, limit].every(Number.isSafeInteger))
        return refused('a time or a limit is no whole number');
      if (!isLimit(limit)) return refused(NO_LIMIT);
      // Rows of deliveries go last: signals name them.
      const steps: readonly Erase[] = [
        deliveries.bodiesBefore(source, rawBefore),
        deliveries.deadBefore(source, deadBefore),
        deliveries.bodiesAbove(source, bytes),
        (rows) => signals.eraseBefore(source, signalsBefore, rows),
        (rows) => states.eraseBefore(source, signalsBefore, rows),
        deliveries.rowsBefore(source, Math.min(rawBefore, signalsBefore, now - KEY_MS)),
      ];
      return steps.reduce((erased, erase) => (erased < limit ? erased + erase(limit - erased) : erased), 0);
    },
    eraseBodies: (bytes, limit) =>
      Number.isSafeInteger(bytes) && isLimit(limit) ? deliveries.bodiesAboveInAll(bytes)(limit) : refused(NO_LIMIT),
  };
}

/** Repeats a slice until one erases less than it may. */
async function inSlices(limit: number, slice: () => Promise<number>): Promise<number> {
  for (let erased = 0; ;) {
    const count = await slice();
    erased += count;
    if (count < limit) return erased;
  }
}

function ingestRetentionPort(parts: TableParts<RowOf<RetentionOperations>>): IngestRetentionPort {
  const { prepare, read, write, now } = parts;
  const sources = prepare('SELECT id, source FROM ingest_sources ORDER BY id');
  return {
    eraseIngestion: async ({ sources: ages, others, deadBefore, bytesPerSource, bytesInAll, limit }) => {
      let erased = 0;
      for (const row of await read(() => sources.all())) {
        const { rawBefore, signalsBefore } = ages.get(textOf(row, 'source')) ?? others;
        const source = integerOf(row, 'id');
        const slice = { source, rawBefore, signalsBefore, deadBefore, now: now(), bytes: bytesPerSource, limit };
        erased += await inSlices(limit, async () => numberOf(await write(['eraseOfSource', slice])));
      }
      return erased + (await inSlices(limit, async () => numberOf(await write(['eraseBodies', bytesInAll, limit]))));
    },
  };
}

/** It has no table of its own. */
export const ingestRetention = { schema: {}, port: ingestRetentionPort, writers: ingestRetentionWriters };
