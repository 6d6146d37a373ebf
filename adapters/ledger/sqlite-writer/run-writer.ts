import { entryBytes, MAX_ENTRY_BYTES } from '../tables/log.ts';
import { claimRows, type ClaimRows } from '../tables/idempotency.ts';
import { splitJws, type JwsHeaders, type JwsParts } from '../tables/jws-headers.ts';
import { receiptRows, type FinishRow, type ReceiptRows } from '../tables/receipts.ts';
import type { StartPolicyColumns } from '../tables/run-policy.ts';
import { runRows, type RecordRow, type RunRows, type StartRow } from '../tables/runs.ts';
import { refused, type RowResult, type WriterParts } from '../tables/table.ts';
import { usageCounter, type UsageCounter } from '../tables/tenant-usage.ts';
import type { LogWriter } from './log-writer.ts';
import { PolicyWriter } from './policy-writer.ts';

const NOT_WHOLE = 'a time is no whole number of milliseconds';

/** Writes runs with their claims, receipts, entries and answers, inside the writer's transaction. */
export class RunWriter {
  readonly #runs: RunRows;
  readonly #receipts: ReceiptRows;
  readonly #claims: ClaimRows;
  readonly #headers: JwsHeaders;
  readonly #policies: PolicyWriter;
  readonly #usage: UsageCounter;

  constructor(parts: WriterParts, headers: JwsHeaders) {
    this.#runs = runRows(parts);
    this.#receipts = receiptRows(parts);
    this.#claims = claimRows(parts);
    this.#headers = headers;
    this.#policies = new PolicyWriter(parts);
    this.#usage = usageCounter(parts);
  }

  /** To call after a rollback: remembered rows may no longer exist in the database. */
  forget(): void {
    this.#policies.forget();
    this.#usage.forget();
  }

  /** To call at the end of each transaction, before its commit. */
  store(): void {
    this.#usage.store();
    this.#policies.store();
  }

  start(row: StartRow): RowResult {
    const [, runId, tenant, startedAt, deadlineAt, owner, seed, path, key, tag, expiresAt, policy] = row;
    if (![startedAt, deadlineAt, expiresAt].every(Number.isSafeInteger)) return refused(NOT_WHOLE);
    const taken = path === null ? null : this.#claims.taken(tenant, path, key, startedAt);
    if (taken !== null) return taken;
    const blocked = policy === undefined ? null : this.#whyBlocked(row, policy);
    if (blocked !== null) return blocked;
    const { changes } = this.#runs.insert.run(runId, tenant, startedAt, deadlineAt, owner, seed);
    if (changes === 0) return refused('the run id is taken');
    if (policy !== undefined && !this.#policies.start({ runId, tenant }, policy)) {
      this.#runs.drop.run(runId);
      return refused('the decision id is taken');
    }
    if (path === null) return null;
    this.#claims.drop.run(tenant, path, key); // an expired claim
    this.#claims.insert.run(tenant, path, key, tag, runId, expiresAt);
    return null;
  }

  finish(row: FinishRow, log: LogWriter): RowResult {
    const [, runId, tenant, , , , issuedAt, jws, entry, , , policy] = row;
    if (!Number.isSafeInteger(issuedAt)) return refused(NOT_WHOLE);
    const parts = splitJws(jws);
    const bytes = entryBytes(entry);
    if (parts === undefined) return refused('the receipt is no compact JWS');
    if (bytes === undefined) return refused(`a log entry is longer than ${MAX_ENTRY_BYTES} bytes`);
    const fault = policy && this.#policies.faultOfFinish({ runId, tenant }, policy);
    if (fault !== undefined) return refused(fault);
    const unclosed = this.#close(row, parts, log.size());
    if (unclosed !== null) return unclosed;
    this.#usage.receipt(tenant, parts.payload, parts.signature);
    log.append(entry, bytes);
    if (policy !== undefined) this.#policies.finish({ runId, tenant }, policy, log);
    this.#answerClaim(row);
    return null;
  }

  /** Stores the answer under the claim of the run, or drops the claim. */
  #answerClaim([, runId, tenant, , , , , , , answer, nonce]: FinishRow): void {
    if (answer === false) this.#claims.dropOfRun.run(runId, tenant);
    else if (answer !== null && nonce !== null) this.#claims.storeAnswer(runId, tenant, answer, nonce);
  }

  record([, start, finish]: RecordRow, log: LogWriter): RowResult {
    const [, runId, , receiptId, , , issuedAt, jws, entry, , , policy] = finish;
    // All checks that could refuse the second half run before the first half is written.
    if (this.#receipts.isTaken(receiptId, runId)) return refused('the receipt id is taken');
    const whole = Number.isSafeInteger(issuedAt) && splitJws(jws) !== undefined && entryBytes(entry) !== undefined;
    if (!whole) return refused('the receipt is malformed');
    if (start[1] !== runId || start[2] !== finish[2]) return refused('start and finish are of two runs');
    const fault = policy && this.#policies.faultOfFinish({ runId, tenant: start[2] }, policy, start[11] !== undefined);
    if (fault !== undefined) return refused(fault);
    return this.start(start) ?? this.finish(finish, log);
  }

  /** Why a run with policies must not start: a mistake of the caller, or a grant that can't be used. */
  #whyBlocked([, runId, tenant, startedAt]: StartRow, policy: StartPolicyColumns): RowResult {
    const fault = this.#policies.faultOfStart(policy);
    if (fault !== undefined) return refused(fault);
    return this.#policies.canUseGrants({ runId, tenant }, policy, startedAt) ? null : ['conflict', 'grant'];
  }

  /** Writes the receipt under its index, and closes the run. @returns why neither was done; null: both were */
  #close([, runId, tenant, receiptId, orbId, outcome, issuedAt]: FinishRow, parts: JwsParts, index: number): RowResult {
    const { header, payload, signature } = parts;
    const inserted = this.#receipts.insert.run(
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
    if (this.#runs.close.run(runId, tenant).changes === 1) return null;
    this.#receipts.drop.run(index);
    return refused('no such run was started');
  }

  #whyNotInserted(receiptId: string, runId: string, tenant: string): RowResult {
    const existing = this.#receipts.ofRun(runId, tenant);
    if (existing !== undefined) return ['closed', existing];
    if (this.#receipts.isTaken(receiptId, runId)) return refused('the receipt id is taken');
    throw new Error('the head of the log lies before its last receipt');
  }
}
