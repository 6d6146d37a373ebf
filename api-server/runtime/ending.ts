import type { StoredReceipt } from '../../adapters/ledger/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { jcs } from '../../core/json/jcs.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { commit } from '../../core/receipt/commitment.ts';
import { newId } from '../../core/receipt/ids.ts';
import { privateEntry } from '../../core/receipt/log-entry.ts';
import type { AttemptRecord, CommitmentRecord, ReceiptRecord, RunOutcome } from '../../core/receipt/record.ts';
import { sealReceipt } from '../../core/receipt/seal.ts';
import { checksOf } from '../../core/run/checks.ts';
import { EMPTY_POLICY } from '../../core/run/empty-policy.ts';
import { recordOf, type RunSeed } from '../../core/run/record.ts';
import type { Runtime } from './runtime.ts';

/** What a run did, before it is written down. */
export interface Conclusion {
  readonly outcome: RunOutcome;
  readonly closedBy: 'runtime' | 'sweeper';
  readonly attempts: readonly AttemptRecord[];
  readonly output: CommitmentRecord | null;
  readonly outputsComplete: boolean;
  readonly exception: boolean;
  readonly caller: 'valid' | 'revoked-or-expired' | 'unknown' | 'anonymous';
  readonly durationMs: number;
  readonly clockStepped: boolean;
  /** Ms since epoch. */
  readonly finishedAt: number;
}

/** A signed receipt with what the ledger needs beside it. */
export interface Sealed {
  readonly record: ReceiptRecord;
  readonly jws: string;
  readonly entry: string;
}

/** A salted commitment over a JSON value, with the salt for the caller (trust.md §1.4). */
export function commitJson(
  runtime: Runtime,
  value: JsonObject,
): { readonly salt: Uint8Array; readonly record: CommitmentRecord } {
  const salt = runtime.random(16);
  return { salt, record: commit(salt, encodeUtf8(jcs(value)), 'application/json', runtime.sha256) };
}

/**
 * Writes, scores and signs the receipt of a run. The entry is the private form: nothing is published yet, and only
 * runs of published bytes may show in the log (trust.md §2.1).
 */
export function sealRun(runtime: Runtime, seed: RunSeed, conclusion: Conclusion): Sealed {
  const checks = checksOf({
    ...conclusion,
    sloMs: seed.slo_ms,
    hasInputs: seed.has_inputs,
    hasOutputs: seed.has_outputs,
  });
  const issuedAt = Math.max(runtime.clock.now(), conclusion.finishedAt);
  const record = recordOf(
    seed,
    {
      ...conclusion,
      checks,
      issuedAt,
      callerTag: runtime.tags.of(seed.tenant, conclusion.finishedAt),
      receiptId: newId('rcpt_', issuedAt, runtime.random),
    },
    { issuer: runtime.issuer, policy: EMPTY_POLICY },
  );
  const sealed = sealReceipt(record, runtime.sealing);
  return { record, jws: sealed.jws, entry: privateEntry(record, sealed.jwsSha256) };
}

/** The five members of the spec (§2.3), copied from signed ones; `signatureValid` was just computed. */
export function summaryOf(record: ReceiptRecord, signatureValid: boolean): JsonObject {
  return {
    receipt_id: record.receipt_id,
    trust_score: record.trust_score,
    risk_level: record.risk_level,
    signature_valid: signatureValid,
    timestamp: record.issued_at,
  };
}

/** The ledger's row for a sealed receipt. */
export const receiptRow = (
  sealed: Sealed,
): Omit<StoredReceipt, 'tenant' | 'logIndex'> & { readonly entry: string } => ({
  receiptId: sealed.record.receipt_id,
  orbId: sealed.record.orb.id,
  outcome: sealed.record.execution.outcome,
  issuedAt: Date.parse(sealed.record.issued_at),
  jws: sealed.jws,
  entry: sealed.entry,
});
