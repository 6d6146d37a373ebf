import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import {
  numberOf,
  refused,
  unexpected,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** A stretch of time in which a service had one state (ingest-ledger.md §5). Half open, ms since epoch. */
export interface StatusInterval {
  readonly service: string;
  readonly from: number;
  readonly to: number;
  readonly state: string;
  /** Whether maintenance that was announced in time excludes it. */
  readonly announced: boolean;
}

type StatusRoundResult =
  /** `last`: end of the newest stretch of these services, ms since epoch; 0 without rows. */
  | { readonly kind: 'kept'; readonly last: number }
  /** This row overlaps what is kept with another state, or ends before it begins: this call wrote nothing. */
  | { readonly kind: 'invalid'; readonly position: number };

interface IntervalQuery {
  /** Stretches that end after this time, ms since epoch. */
  readonly since: number;
  /** 1–1000. */
  readonly limit: number;
  /** Opaque, from an earlier page of the same query. */
  readonly cursor?: string;
}

interface IntervalPage {
  /** By service, the oldest first. */
  readonly items: readonly StatusInterval[];
  readonly nextCursor: string | null;
}

/** What was measured of the platform's services. Stretches of a service never overlap. */
interface StatusIntervalPort {
  /**
   * Keeps rows in their order, all of them or none: a row that begins where a stretch of the same state ends prolongs it.
   * A row that lies within a stretch of its state was told before, and changes nothing. At most 1000 rows.
   */
  readonly statusRound: (rows: readonly StatusInterval[]) => Promise<StatusRoundResult>;
  /** @throws RangeError limit outside 1–1000, or a cursor that did not come from a page */
  readonly statusIntervals: (query: IntervalQuery) => Promise<IntervalPage>;
  /**
   * Erases stretches that ended before a time, ms since epoch.
   * @returns their number; fewer than `limit`: no others are due
   */
  readonly eraseStatus: (before: number, limit: number) => Promise<number>;
}

type IntervalColumns = readonly [service: string, from: number, to: number, state: string, announced: number];

type StatusOperations = {
  readonly statusRound: readonly [rows: readonly IntervalColumns[]];
  readonly eraseStatus: readonly [before: number, limit: number];
};

const schema: TableSchema = {
  6: `CREATE TABLE status_intervals(
    service TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, state TEXT NOT NULL,
    announced INTEGER NOT NULL, PRIMARY KEY (service, from_ms)
  ) STRICT, WITHOUT ROWID;`,
};

const MAX_ROWS = 1000;
const NOT_WHOLE = 'a time is no whole number of milliseconds';

/** In place of the stretch before the first one. */
const NO_STRETCH: Row = { to_ms: Number.NEGATIVE_INFINITY };

/** Keeps one row, in the writer's thread. @returns false: it overlaps another stretch */
type Keep = (row: IntervalColumns) => boolean;

function keepInterval(db: WriterParts): Keep {
  const before = db.prepare(
    `SELECT from_ms, to_ms, state, announced FROM status_intervals
     WHERE service = ? AND from_ms <= ? ORDER BY from_ms DESC LIMIT 1`,
  );
  const overlapping = db.prepare(
    'SELECT 1 AS found FROM status_intervals WHERE service = ? AND from_ms > ? AND from_ms < ? LIMIT 1',
  );
  const prolong = db.prepare('UPDATE status_intervals SET to_ms = ? WHERE service = ? AND from_ms = ?');
  const insert = db.prepare(
    'INSERT INTO status_intervals(service, from_ms, to_ms, state, announced) VALUES (?, ?, ?, ?, ?)',
  );
  return (row) => {
    const [service, from, to, state, announced] = row;
    if (from >= to) return false;
    const last = before.get(service, from) ?? NO_STRETCH;
    const end = integerOf(last, 'to_ms');
    const same = last['state'] === state && last['announced'] === announced;
    if (same && to <= end) return true;
    if (end > from || overlapping.get(service, from, to) !== undefined) return false;
    if (same && end === from) prolong.run(to, service, integerOf(last, 'from_ms'));
    else insert.run(...row);
    return true;
  };
}

/** The next service with a stretch, by name; undefined: there is none. */
function serviceAfter(db: Connection): (service: string) => string | undefined {
  const next = db.prepare('SELECT min(service) AS service FROM status_intervals WHERE service > ?');
  return (service) => {
    const found = next.get(service)?.['service'];
    return typeof found === 'string' ? found : undefined;
  };
}

function statusWriters(db: WriterParts): Writers<StatusOperations> {
  const keep = keepInterval(db);
  const newest = db.prepare('SELECT to_ms FROM status_intervals WHERE service = ? ORDER BY from_ms DESC LIMIT 1');
  const lastOf = (service: string): number => integerOf(newest.get(service) ?? { to_ms: 0 }, 'to_ms');
  const next = serviceAfter(db);
  const erase = db.prepare(
    `DELETE FROM status_intervals WHERE service = ?1 AND from_ms IN (
       SELECT from_ms FROM status_intervals WHERE service = ?1 AND from_ms < ?2 AND to_ms < ?2 ORDER BY from_ms LIMIT ?3)`,
  );
  const [begin, undo, end] = ['SAVEPOINT round', 'ROLLBACK TO round', 'RELEASE round'].map((sql) => db.prepare(sql));
  return {
    statusRound: (rows) => {
      if (!rows.every(([, from, to]) => Number.isSafeInteger(from) && Number.isSafeInteger(to)))
        return refused(NOT_WHOLE);
      if (rows.length > MAX_ROWS) return refused(`at most ${MAX_ROWS} rows`);
      begin?.run();
      const wrong = rows.findIndex((row) => !keep(row));
      if (wrong >= 0) undo?.run();
      end?.run();
      if (wrong >= 0) return ['conflict', String(wrong)];
      return [...new Set(rows.map(([service]) => service))].reduce((last, one) => Math.max(last, lastOf(one)), 0);
    },
    eraseStatus: (before, limit) => {
      if (!Number.isSafeInteger(before) || !Number.isSafeInteger(limit) || limit < 1)
        return refused('a time or a limit is no whole number');
      let erased = 0;
      for (let service = next(''); service !== undefined && erased < limit; service = next(service))
        erased += Number(erase.run(service, before, limit - erased).changes);
      return erased;
    },
  };
}

function roundResult(result: RowResult): StatusRoundResult {
  if (typeof result === 'number') return { kind: 'kept', last: result };
  if (result?.[0] === 'conflict') return { kind: 'invalid', position: Number(result[1]) };
  throw unexpected(result);
}

function checkRows(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ROWS) throw new RangeError(`limit must be 1–${MAX_ROWS}`);
}

/** Where a page ends. */
interface IntervalPlace {
  readonly service: string;
  readonly from: number;
}

const CURSOR = /^(\d{1,16}) (.{1,200})$/;

function placeOf(cursor: string | undefined): IntervalPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, from, service] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (from === undefined || service === undefined) throw new RangeError('the cursor is from no page of intervals');
  return { service, from: Number(from) };
}

const cursorOf = ({ service, from }: IntervalPlace): string => Buffer.from(`${from} ${service}`).toString('base64url');

const intervalOf = (row: Row): StatusInterval => ({
  service: textOf(row, 'service'),
  from: integerOf(row, 'from_ms'),
  to: integerOf(row, 'to_ms'),
  state: textOf(row, 'state'),
  announced: integerOf(row, 'announced') === 1,
});

function statusPort({ prepare, read, write }: TableParts<RowOf<StatusOperations>>): StatusIntervalPort {
  const after = serviceAfter({ prepare });
  // The stretch that holds `since`, and all behind it: none is searched that ended before.
  const behind = prepare(
    `SELECT service, from_ms, to_ms, state, announced FROM status_intervals
     WHERE service = ?1 AND from_ms > ?2 AND to_ms > ?3 AND from_ms >= coalesce(
       (SELECT max(from_ms) FROM status_intervals WHERE service = ?1 AND from_ms <= ?3), ?3)
     ORDER BY from_ms LIMIT ?4`,
  );
  const page = ({ since, limit, cursor }: IntervalQuery): IntervalPage => {
    checkRows(limit);
    const place = placeOf(cursor);
    const items: StatusInterval[] = [];
    let from = place?.from ?? -1;
    for (let service = place?.service ?? after(''); service !== undefined; service = after(service)) {
      items.push(...behind.all(service, from, since, limit + 1 - items.length).map(intervalOf));
      const last = items[limit - 1];
      if (items.length > limit && last !== undefined)
        return { items: items.slice(0, limit), nextCursor: cursorOf(last) };
      from = -1;
    }
    return { items, nextCursor: null };
  };
  return {
    statusRound: async (rows) => {
      const columns = rows.map(
        ({ service, from, to, state, announced }) => [service, from, to, state, announced ? 1 : 0] as const,
      );
      return roundResult(await write(['statusRound', columns]));
    },
    statusIntervals: (query) => read(() => page(query)),
    eraseStatus: async (before, limit) => numberOf(await write(['eraseStatus', before, limit])),
  };
}

export const statusIntervalTable = { schema, port: statusPort, writers: statusWriters };
