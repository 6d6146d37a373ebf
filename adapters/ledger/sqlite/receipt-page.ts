import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ReceiptQuery } from '../port.ts';
import { integerOf, textOf, type Row } from './columns.ts';

/** A place in the order of receipts: a page starts with the first receipt that is older. */
interface Place {
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

function placeOf(cursor: string): Place {
  const [, issuedAt, receiptId] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (issuedAt === undefined || receiptId === undefined)
    throw new RangeError('the cursor is from no page of this ledger');
  return { issuedAt: Number(issuedAt), receiptId };
}

function firstPlace({ cursor, until }: ReceiptQuery): Place {
  const end: Place = { issuedAt: until ?? Number.MAX_SAFE_INTEGER, receiptId: '' };
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

const pageOf = (found: readonly Row[], next: Row | undefined): PageOfIndexes => ({
  indexes: found.map((row) => integerOf(row, 'log_index')),
  nextCursor: next === undefined ? null : cursorOf(next),
});

/** Pages over the receipts of one tenant, by an index that holds every column that a query filters by. */
export class ReceiptPages {
  readonly #slice: StatementSync;

  constructor(db: DatabaseSync) {
    this.#slice = db.prepare(
      `SELECT log_index, issued_at, receipt_id, orb_id, outcome FROM receipts INDEXED BY receipts_newest
       WHERE tenant = ? AND (issued_at, receipt_id) < (?, ?) AND issued_at >= ?
       ORDER BY issued_at DESC, receipt_id DESC LIMIT ?`,
    );
  }

  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  async page(tenant: string, query: ReceiptQuery): Promise<PageOfIndexes> {
    const { limit } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new RangeError(`limit must be 1–${MAX_LIMIT}`);
    const found: Row[] = [];
    let place = firstPlace(query);
    for (let slices = MAX_SCANNED / SLICE_ROWS; ; slices -= 1) {
      const rows = this.#slice.all(tenant, place.issuedAt, place.receiptId, query.since ?? 0, SLICE_ROWS);
      if (take(rows, query, found)) return pageOf(found, found.at(-1));
      const last = rows.at(-1);
      if (last === undefined || rows.length < SLICE_ROWS) return pageOf(found, undefined);
      if (slices === 1) return pageOf(found, last);
      place = { issuedAt: integerOf(last, 'issued_at'), receiptId: textOf(last, 'receipt_id') };
      await nextTurn();
    }
  }
}
