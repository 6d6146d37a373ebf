import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { consistencyProof, inclusionProof, type NodeReader } from '../../../core/merkle/proof.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import type { RunOutcome } from '../../../core/receipt/record.ts';
import {
  type IdempotencyEntry,
  type LastSwap,
  type OverdueRun,
  type ReceiptPage,
  type ReceiptQuery,
  type SignedCheckpoint,
  type StoredReceipt,
  type StoredSwap,
} from '../port.ts';
import { sha256 } from '../../keys/primitives.ts';
import { openAnswer, type AnswerPlace } from '../sealed-answer.ts';
import { blobOf, integerOf, optionalBlobOf, textOf, type Row } from './columns.ts';
import { ReceiptPages } from './receipt-page.ts';
import { edgeOf, storedNodes } from './tiles.ts';

const MAX_ENTRIES = 1000;

const OUTCOMES = {
  success: true,
  orb_error: true,
  timeout: true,
  policy_denied: true,
  caller_error: true,
  platform_error: true,
} as const satisfies Record<RunOutcome, true>;
const isOutcome = (text: string): text is RunOutcome => Object.hasOwn(OUTCOMES, text);

function outcomeOf(row: Row): RunOutcome {
  const text = textOf(row, 'outcome');
  if (!isOutcome(text)) throw new TypeError('the ledger holds an outcome that does not exist');
  return text;
}

const RECEIPT = `SELECT log_index, receipt_id, tenant, orb_id, outcome, issued_at, payload, signature, jws_headers.header AS header
  FROM receipts JOIN jws_headers ON jws_headers.id = receipts.header`;

const SWAP = `SELECT log_index, receipt_id, tenant, orb_id, issued_at, payload, signature, jws_headers.header AS header
  FROM swap_receipts JOIN jws_headers ON jws_headers.id = swap_receipts.header`;

const swapOf = (row: Row): StoredSwap => ({
  receiptId: textOf(row, 'receipt_id'),
  tenant: textOf(row, 'tenant'),
  orbId: textOf(row, 'orb_id'),
  issuedAt: integerOf(row, 'issued_at'),
  jws: [
    textOf(row, 'header'),
    blobOf(row, 'payload').toString('base64url'),
    blobOf(row, 'signature').toString('base64url'),
  ].join('.'),
  logIndex: integerOf(row, 'log_index'),
});

const receiptOf = (row: Row): StoredReceipt => ({ ...swapOf(row), outcome: outcomeOf(row) });

const checkpointOf = (row: Row): SignedCheckpoint => ({ size: integerOf(row, 'size'), note: textOf(row, 'note') });

function prepareReads(db: DatabaseSync) {
  return {
    receipt: db.prepare(`${RECEIPT} WHERE receipt_id = ? AND tenant = ?`),
    receiptOfRun: db.prepare(`${RECEIPT} WHERE run_id = ? AND tenant = ?`),
    receiptAt: db.prepare(`${RECEIPT} WHERE log_index = ?`),
    swap: db.prepare(`${SWAP} WHERE receipt_id = ? AND tenant = ?`),
    lastSwap: db.prepare(
      'SELECT swap_seq, receipt_id, epoch FROM swap_receipts WHERE orb_uid = ? AND tenant = ? ORDER BY swap_seq DESC LIMIT 1',
    ),
    published: db.prepare('SELECT 1 AS found FROM published WHERE orb_id = ? AND manifest_digest = ?'),
    overdue: db.prepare(
      `SELECT run_id, tenant, started_at, deadline_at, seed FROM runs
       WHERE state = 'started' AND deadline_at < ? ORDER BY deadline_at, run_id LIMIT ?`,
    ),
    claim: db.prepare(
      `SELECT body_sha256, run_id, answer FROM idempotency WHERE tenant = ? AND path = ? AND key = ? AND (expires_at > ?
         OR EXISTS (SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id AND state = 'started'))`,
    ),
    checkpoint: db.prepare('SELECT size, note FROM log_checkpoints ORDER BY size DESC LIMIT 1'),
    covering: db.prepare('SELECT size, note FROM log_checkpoints WHERE size > ? ORDER BY size LIMIT 1'),
    entries: db.prepare('SELECT entry FROM log_entries WHERE idx >= ? AND idx < ? ORDER BY idx'),
    size: db.prepare('SELECT size FROM log_head WHERE id = 1'),
  } satisfies Record<string, StatementSync>;
}

/**
 * The read-only connection, on the main thread. Each call reads a bounded number of rows by an index. WAL shows it
 * committed and synced transactions only, and a reader never waits for the writer.
 */
export class Reader {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareReads>;
  readonly #pages: ReceiptPages;
  readonly #dataKey: Uint8Array;

  constructor(file: string, dataKey: Uint8Array) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    this.#sql = prepareReads(this.#db);
    this.#pages = new ReceiptPages(this.#db);
    this.#dataKey = dataKey;
  }

  /** For tables that have their own file. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  close(): void {
    this.#db.close();
  }

  receipt(tenant: string, receiptId: string): StoredReceipt | undefined {
    const row = this.#sql.receipt.get(receiptId, tenant);
    return row === undefined ? undefined : receiptOf(row);
  }

  receiptOfRun(tenant: string, runId: string): StoredReceipt | undefined {
    const row = this.#sql.receiptOfRun.get(runId, tenant);
    return row === undefined ? undefined : receiptOf(row);
  }

  async receipts(tenant: string, query: ReceiptQuery): Promise<ReceiptPage> {
    const { indexes, nextCursor } = await this.#pages.page(tenant, query);
    const rows = indexes.map((index) => this.#sql.receiptAt.get(index));
    return { items: rows.flatMap((row) => (row === undefined ? [] : [receiptOf(row)])), nextCursor };
  }

  swapReceipt(tenant: string, receiptId: string): StoredSwap | undefined {
    const row = this.#sql.swap.get(receiptId, tenant);
    return row === undefined ? undefined : swapOf(row);
  }

  lastSwap(tenant: string, orbUid: string): LastSwap | undefined {
    const row = this.#sql.lastSwap.get(orbUid, tenant);
    if (row === undefined) return undefined;
    return { seq: integerOf(row, 'swap_seq'), receiptId: textOf(row, 'receipt_id'), epoch: integerOf(row, 'epoch') };
  }

  hasPublished(orbId: string, manifestDigest: string): boolean {
    return this.#sql.published.get(orbId, manifestDigest) !== undefined;
  }

  overdueRuns(before: number, limit: number): readonly OverdueRun[] {
    return this.#sql.overdue.all(before, limit).map((row) => ({
      runId: textOf(row, 'run_id'),
      tenant: textOf(row, 'tenant'),
      startedAt: integerOf(row, 'started_at'),
      deadlineAt: integerOf(row, 'deadline_at'),
      seed: textOf(row, 'seed'),
    }));
  }

  idempotent(place: AnswerPlace, now: number): IdempotencyEntry | undefined {
    const row = this.#sql.claim.get(place.tenant, place.path, place.key, now);
    if (row === undefined) return undefined;
    return this.claimed(place, textOf(row, 'body_sha256'), textOf(row, 'run_id'), optionalBlobOf(row, 'answer'));
  }

  claimed(place: AnswerPlace, bodySha256: string, runId: string, sealed: Uint8Array | null): IdempotencyEntry {
    return { bodySha256, runId, answer: sealed === null ? undefined : openAnswer(sealed, place, this.#dataKey) };
  }

  checkpoint(): SignedCheckpoint | undefined {
    const row = this.#sql.checkpoint.get();
    return row === undefined ? undefined : checkpointOf(row);
  }

  checkpointCovering(index: number): SignedCheckpoint | undefined {
    const row = this.#sql.covering.get(index);
    return row === undefined ? undefined : checkpointOf(row);
  }

  inclusionProof(index: number, size: number): readonly Uint8Array[] {
    return inclusionProof(index, size, this.#nodes(size), sha256);
  }

  consistencyProof(first: number, second: number): readonly Uint8Array[] {
    return consistencyProof(first, second, this.#nodes(second), sha256);
  }

  entries(from: number, to: number): readonly string[] {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0)
      throw new RangeError('no range of entries');
    const rows = this.#sql.entries.all(from, Math.min(to, from + MAX_ENTRIES));
    return rows.map((row) => blobOf(row, 'entry').toString('utf8'));
  }

  logSize(): number {
    return integerOf(this.#sql.size.get() ?? {}, 'size');
  }

  rootAt(size: number): Uint8Array {
    if (size < 0) throw new RangeError('the log has no tree of this size');
    return rootOf(edgeOf(size, this.#nodes(size)), sha256);
  }

  #nodes(size: number): NodeReader {
    if (!Number.isSafeInteger(size) || size > this.logSize()) throw new RangeError('the log has no tree of this size');
    return storedNodes(this.#db);
  }
}
