import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReceiptQuery } from '../tables/receipts.ts';
import { integerOf, textOf, type Row } from './columns.ts';

/** A place in the order of receipts: a page starts with the first receipt that is older. */
export interface ReceiptPlace {
  readonly issuedAt: number;
  readonly receiptId: string;
}

/** Log indexes of one page, newest first. */
export interface PageOfIndexes {
  readonly indexes: readonly number[];
  readonly nextCursor: string | null;
}

const MAX_LIMIT = 200;
// A slice of the index takes under a millisecond; then the event loop turns.
const SLICE_ROWS = 500;
// Maximum number of index rows that one call reads, when a filter excludes nearly all of them.
const MAX_SCANNED = 20_000;

const CURSOR = /^(\d{1,16}) (.{1,200})$/;

const cursorOf = (row: Row): string =>
  Buffer.from(`${integerOf(row, 'issued_at')} ${textOf(row, 'receipt_id')}`).toString('base64url');

function placeOf(cursor: string): ReceiptPlace {
  const [, issuedAt, receiptId] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (issuedAt === undefined || receiptId === undefined)
    throw new RangeError('the cursor is from no page of this ledger');
  return { issuedAt: Number(issuedAt), receiptId };
}

function firstPlace({ cursor, until }: ReceiptQuery): ReceiptPlace {
  const end: ReceiptPlace = { issuedAt: until ?? Number.MAX_SAFE_INTEGER, receiptId: '' };
  if (cursor === undefined) return end;
  const place = placeOf(cursor);
  return place.issuedAt < end.issuedAt ? place : end;
}

const matches = (row: Row, { orbId, outcome }: ReceiptQuery): boolean =>
  (orbId === undefined || textOf(row, 'orb_id') === orbId) &&
  (outcome === undefined || textOf(row, 'outcome') === outcome);

/** Keeps the rows of a slice that fit on the page. @returns true when the page is full and more rows follow */
function take(rows: readonly Row[], query: ReceiptQuery, found: Row[]): boolean {
  for (const row of rows) {
    if (!matches(row, query)) continue;
    if (found.length === query.limit) return true;
    found.push(row);
  }
  return false;
}

const foundPage = (found: readonly Row[], next: Row | undefined): PageOfIndexes => ({
  indexes: found.map((row) => integerOf(row, 'log_index')),
  nextCursor: next === undefined ? null : cursorOf(next),
});

/** Reads the receipts that are older than a place, newest first, at most this many. */
export type ReadSlice = (place: ReceiptPlace, rows: number) => readonly Row[];

/**
 * One page of the receipts of a tenant. Its slices come from an index that holds every column that a query filters by.
 * @throws RangeError limit outside 1–200, or a cursor that did not come from a page
 */
export async function pageOf(query: ReceiptQuery, readSlice: ReadSlice): Promise<PageOfIndexes> {
  const { limit } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw new RangeError(`limit must be 1–${MAX_LIMIT}`);
  const found: Row[] = [];
  let place = firstPlace(query);
  for (let slices = MAX_SCANNED / SLICE_ROWS; ; slices -= 1) {
    const rows = readSlice(place, SLICE_ROWS);
    if (take(rows, query, found)) return foundPage(found, found.at(-1));
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE_ROWS) return foundPage(found, undefined);
    if (slices === 1) return foundPage(found, last);
    place = { issuedAt: integerOf(last, 'issued_at'), receiptId: textOf(last, 'receipt_id') };
    await nextTurn();
  }
}
