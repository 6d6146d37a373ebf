import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Row } from './columns.ts';

/** A place in the order of an index: a page starts with the first row that is older. */
export interface Place {
  /** ms since epoch */
  readonly at: number;
  /** Orders rows of the same time. */
  readonly id: string;
}

/** What a page is asked for by. */
export interface PageQuery {
  /** 1–200. */
  readonly limit: number;
  /** Opaque, from an earlier page of the same query. */
  readonly cursor?: string;
  /** Inclusive, ms since epoch. */
  readonly since?: number;
  /** Exclusive, ms since epoch. */
  readonly until?: number;
}

/** An index that holds every column that a query filters by. */
export interface PagedIndex {
  /** Rows that are older than a place, newest first, at most this many. */
  readonly slice: (place: Place, rows: number) => readonly Row[];
  /** Whether a row belongs on the page. */
  readonly matches: (row: Row) => boolean;
  readonly placeOf: (row: Row) => Place;
}

/** Rows of the index on one page, newest first. */
export interface IndexPage {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

const MAX_LIMIT = 200;
// A slice of the index takes under a millisecond; then the event loop turns.
const SLICE_ROWS = 500;
// Maximum number of index rows that one call reads, when a filter excludes nearly all of them.
const MAX_SCANNED = 20_000;

const CURSOR = /^(\d{1,16}) (.{1,200})$/;

const cursorOf = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString('base64url');

function placeOfCursor(cursor: string): Place {
  const [, at, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || id === undefined) throw new RangeError('the cursor is from no page of this ledger');
  return { at: Number(at), id };
}

/** For an index that orders rows of the same time by their number. @throws RangeError the cursor is of another index */
export function numberOfPlace({ id }: Place): number {
  const number = Number(id);
  if (!Number.isSafeInteger(number)) throw new RangeError('the cursor is from no page of this index');
  return number;
}

function firstPlace({ cursor, until }: PageQuery): Place {
  const end: Place = { at: until ?? Number.MAX_SAFE_INTEGER, id: '' };
  if (cursor === undefined) return end;
  const place = placeOfCursor(cursor);
  return place.at < end.at ? place : end;
}

/** @throws RangeError limit outside 1–200 */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw new RangeError(`limit must be 1–${MAX_LIMIT}`);
}

/**
 * One page of an index.
 * @throws RangeError limit outside 1–200, or a cursor that did not come from a page
 */
export async function indexPage(query: PageQuery, { slice, matches, placeOf }: PagedIndex): Promise<IndexPage> {
  const { limit } = query;
  checkLimit(limit);
  const found: Row[] = [];
  const foundPage = (last: Row | undefined): IndexPage => ({
    rows: found,
    nextCursor: last === undefined ? null : cursorOf(placeOf(last)),
  });
  let place = firstPlace(query);
  for (let slices = MAX_SCANNED / SLICE_ROWS; ; slices -= 1) {
    const rows = slice(place, SLICE_ROWS);
    for (const row of rows.filter(matches)) {
      if (found.length === limit) return foundPage(found.at(-1));
      found.push(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE_ROWS) return foundPage(undefined);
    if (slices === 1) return foundPage(last);
    place = placeOf(last);
    await nextTurn();
  }
}
