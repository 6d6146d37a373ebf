import type { Ledger, StoredReceipt } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { formatTlogProof } from '../../core/merkle/tlog-proof.ts';
import type { Verification } from '../../core/verify/verdict.ts';
import { recordOf, summaryOf } from './receipt-summary.ts';
import { shownChecks, type ReceiptVerifier } from './verify-stored.ts';

/** What the receipt routes read from. */
export interface ReceiptSource {
  readonly ledger: Pick<Ledger, 'receipt' | 'checkpointCovering' | 'inclusionProof' | 'identity'>;
  readonly verifier: ReceiptVerifier;
  readonly clock: Pick<Clock, 'now'>;
  /** The keys document as signed by the root. */
  readonly keysJws: string;
}

/** Proof of one entry against the first checkpoint that covers it. */
export interface Proof {
  readonly index: number;
  readonly treeSize: number;
  /** C2SP tlog-proof. */
  readonly text: string;
}

/** A receipt with all that is known of it now. */
export interface ReceiptView {
  readonly stored: StoredReceipt;
  /** Absent: the entry is in no signed tree yet. */
  readonly proof: Proof | undefined;
  readonly verification: Verification;
}

export async function proofOf(
  ledger: Pick<Ledger, 'checkpointCovering' | 'inclusionProof'>,
  index: number | null,
): Promise<Proof | undefined> {
  const checkpoint = index === null ? undefined : await ledger.checkpointCovering(index);
  if (index === null || !checkpoint) return undefined;
  const hashes = await ledger.inclusionProof(index, checkpoint.size);
  return { index, treeSize: checkpoint.size, text: formatTlogProof({ index, hashes, checkpoint: checkpoint.note }) };
}

export async function loadReceipt(
  source: ReceiptSource,
  tenant: string,
  receiptId: string,
): Promise<ReceiptView | undefined> {
  const stored = await source.ledger.receipt(tenant, receiptId);
  if (!stored) return undefined;
  const proof = await proofOf(source.ledger, stored.logIndex);
  return { stored, proof, verification: await source.verifier.verify(stored.jws, proof?.text ?? null) };
}

/** The JSON form of trust.md §1.6. @param query what the proof's address needs behind it */
export function receiptJson(view: ReceiptView, source: ReceiptSource, query: string): JsonObject {
  const { stored, proof, verification } = view;
  const record = recordOf(stored.jws);
  const log = proof && {
    origin: source.ledger.identity.logOrigin,
    index: proof.index,
    tree_size: proof.treeSize,
    proof_url: `/receipts/${stored.receiptId}/proof${query}`,
  };
  return {
    ...summaryOf(stored, record, verification.signatureValid),
    record,
    jws: stored.jws,
    log: log ?? null,
    verification: {
      verdict: verification.verdict,
      code: verification.code,
      checks: shownChecks(verification).map((check) => ({ ...check })),
      key: verification.key ? { kid: verification.key.kid, status: verification.key.status } : null,
      verified_at: new Date(source.clock.now()).toISOString(),
    },
  };
}

/** The bundle of trust.md §1.6: all that a verifier needs but the pinned root. */
export const receiptBundle = (view: ReceiptView, source: ReceiptSource): JsonObject => ({
  format: 'orb-bundle/1',
  jws: view.stored.jws,
  tlog_proof: view.proof?.text ?? null,
  keys_jws: source.keysJws,
});
