import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sealAnswer } from '../sealed-answer.ts';
import { integerOf, optionalBlobOf, textOf } from '../sqlite/columns.ts';
import type { AnswerRow, EraseRow, FinishRow, StartRow } from '../sqlite/protocol.ts';
import { refused, type RowResult } from '../tables/table.ts';
import { splitJws, type JwsHeaders } from './jws-parts.ts';
import type { TreeWriter } from './tree-writer.ts';

/** Longest entry (trust.md §2.1). */
const MAX_ENTRY_BYTES = 65_535;

const NOT_WHOLE = 'a time is no whole number of milliseconds';

/** An entry as bytes; undefined when it is longer than the log allows. */
export function entryBytes(entry: string): Uint8Array | undefined {
  const bytes = Buffer.from(entry, 'utf8');
  return bytes.length > MAX_ENTRY_BYTES ? undefined : bytes;
}

function prepareRuns(db: DatabaseSync) {
  return {
    insertRun: db.prepare(
      `INSERT INTO runs(run_id, tenant, state, started_at, deadline_at, owner, seed)
       VALUES (?, ?, 'started', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    closeRun: db.prepare(`UPDATE runs SET state = 'closed' WHERE run_id = ? AND tenant = ? AND state = 'started'`),
    insertReceipt: db.prepare(
      `INSERT INTO receipts(log_index, receipt_id, run_id, tenant, orb_id, outcome, issued_at, header, payload, signature)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    dropReceipt: db.prepare('DELETE FROM receipts WHERE log_index = ?'),
    receiptOfRun: db.prepare('SELECT receipt_id FROM receipts WHERE run_id = ? AND tenant = ?'),
    receiptTaken: db.prepare('SELECT 1 AS taken FROM receipts WHERE receipt_id = ? OR run_id = ?'),
    claim: db.prepare(
      `SELECT body_sha256, run_id, answer, expires_at,
         EXISTS (SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id AND state = 'started') AS running
       FROM idempotency WHERE tenant = ? AND path = ? AND key = ?`,
    ),
    dropClaim: db.prepare('DELETE FROM idempotency WHERE tenant = ? AND path = ? AND key = ?'),
    insertClaim: db.prepare(
      'INSERT INTO idempotency(tenant, path, key, body_sha256, run_id, answer, expires_at) VALUES (?, ?, ?, ?, ?, NULL, ?)',
    ),
    claimOfRun: db.prepare('SELECT path, key FROM idempotency WHERE run_id = ? AND tenant = ?'),
    eraseExpired: db.prepare(
      `DELETE FROM idempotency WHERE rowid IN (
         SELECT rowid FROM idempotency WHERE expires_at < ? AND (answer IS NOT NULL OR NOT EXISTS (
           SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id AND state = 'started'))
         LIMIT ?)`,
    ),
    putAnswer: db.prepare('UPDATE idempotency SET answer = ? WHERE run_id = ? AND tenant = ?'),
  } satisfies Record<string, StatementSync>;
}

/** Rows of runs, on the writer's connection and inside its transaction. */
export class RunRows {
  readonly #sql: ReturnType<typeof prepareRuns>;
  readonly #dataKey: Uint8Array;
  readonly #headers: JwsHeaders;

  constructor(db: DatabaseSync, dataKey: Uint8Array, headers: JwsHeaders) {
    this.#sql = prepareRuns(db);
    this.#dataKey = dataKey;
    this.#headers = headers;
  }

  start(row: StartRow): RowResult {
    const [, runId, tenant, startedAt, deadlineAt, owner, seed, path, key, bodySha256, expiresAt] = row;
    if (![startedAt, deadlineAt, expiresAt].every(Number.isSafeInteger)) return refused(NOT_WHOLE);
    const taken = path === null ? null : this.#claimTaken(tenant, path, key, startedAt);
    if (taken !== null) return taken;
    const { changes } = this.#sql.insertRun.run(runId, tenant, startedAt, deadlineAt, owner, seed);
    if (changes === 0) return refused('the run id is taken');
    if (path === null) return null;
    this.#sql.dropClaim.run(tenant, path, key); // an expired claim
    this.#sql.insertClaim.run(tenant, path, key, bodySha256, runId, expiresAt);
    return null;
  }

  finish(row: FinishRow, tree: TreeWriter): RowResult {
    const [, runId, tenant, receiptId, orbId, outcome, issuedAt, jws, entry, answer, nonce] = row;
    if (!Number.isSafeInteger(issuedAt)) return refused(NOT_WHOLE);
    const parts = splitJws(jws);
    const bytes = entryBytes(entry);
    if (parts === undefined) return refused('the receipt is no compact JWS');
    if (bytes === undefined) return refused(`a log entry is longer than ${MAX_ENTRY_BYTES} bytes`);
    const { header, payload, signature } = parts;
    const index = tree.size();
    const inserted = this.#sql.insertReceipt.run(
      index,
      receiptId,
      runId,
      tenant,
      orbId,
      outcome,
      issuedAt,
      this.#headers.idOf(header),
      payload,
      signature,
    );
    if (inserted.changes === 0) return this.#whyNotInserted(receiptId, runId, tenant);
    if (this.#sql.closeRun.run(runId, tenant).changes === 0) {
      this.#sql.dropReceipt.run(index);
      return refused('no such run was started');
    }
    tree.append(bytes);
    if (answer !== null && nonce !== null) this.#storeAnswer(runId, tenant, answer, nonce);
    return null;
  }

  record(start: StartRow, finish: FinishRow, tree: TreeWriter): RowResult {
    const [, runId, , receiptId, , , issuedAt, jws, entry] = finish;
    // All checks that could refuse the second half run before the first half is written.
    if (this.#sql.receiptTaken.get(receiptId, runId) !== undefined) return refused('the receipt id is taken');
    const whole = Number.isSafeInteger(issuedAt) && splitJws(jws) !== undefined && entryBytes(entry) !== undefined;
    if (!whole) return refused('the receipt is malformed');
    if (start[1] !== runId || start[2] !== finish[2]) return refused('start and finish are of two runs');
    return this.start(start) ?? this.finish(finish, tree);
  }

  /** Writes a claim and its answer together: no run lies between them. */
  answer(row: AnswerRow): RowResult {
    const [, tenant, path, key, bodySha256, requestId, now, expiresAt, answer, nonce] = row;
    if (![now, expiresAt].every(Number.isSafeInteger)) return refused(NOT_WHOLE);
    const taken = this.#claimTaken(tenant, path, key, now);
    if (taken !== null) return taken;
    this.#sql.dropClaim.run(tenant, path, key); // an expired claim
    this.#sql.insertClaim.run(tenant, path, key, bodySha256, requestId, expiresAt);
    this.#storeAnswer(requestId, tenant, answer, nonce);
    return null;
  }

  /** Deletes expired claims, at most as many as the row says; claims of running runs stay. */
  erase([, now, limit]: EraseRow): RowResult {
    return Number(this.#sql.eraseExpired.run(now, limit).changes);
  }

  #claimTaken(tenant: string, path: string, key: string, startedAt: number): RowResult {
    const row = this.#sql.claim.get(tenant, path, key);
    if (row === undefined) return null;
    const over = integerOf(row, 'expires_at') <= startedAt && integerOf(row, 'running') === 0;
    return over ? null : ['taken', textOf(row, 'body_sha256'), textOf(row, 'run_id'), optionalBlobOf(row, 'answer')];
  }

  #whyNotInserted(receiptId: string, runId: string, tenant: string): RowResult {
    const existing = this.#sql.receiptOfRun.get(runId, tenant);
    if (existing !== undefined) return ['closed', textOf(existing, 'receipt_id')];
    if (this.#sql.receiptTaken.get(receiptId, runId) !== undefined) return refused('the receipt id is taken');
    throw new Error('the head of the log lies before its last receipt');
  }

  #storeAnswer(runId: string, tenant: string, answer: string, nonce: Uint8Array): void {
    const row = this.#sql.claimOfRun.get(runId, tenant);
    if (row === undefined) return;
    const place = { tenant, path: textOf(row, 'path'), key: textOf(row, 'key') };
    this.#sql.putAnswer.run(sealAnswer(answer, place, this.#dataKey, nonce), runId, tenant);
  }
}
