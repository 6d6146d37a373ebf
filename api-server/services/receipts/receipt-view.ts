import type { Ledger, StoredSwap } from '../../../adapters/ledger/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { formatTlogProof } from '../../../core/merkle/tlog-proof.ts';
import type { Verification } from '../../../core/verify/verdict.ts';
import { recordOf, summaryOf, swapSummaryOf } from '../../run/receipt-summary.ts';
import { shownChecks, type ReceiptVerifier } from './verify-stored.ts';

/** Sources of the receipt routes. */
export interface ReceiptSource {
  readonly ledger: Pick<Ledger, 'receipt' | 'swapReceipt' | 'checkpointCovering' | 'inclusionProof' | 'identity'>;
  readonly verifier: ReceiptVerifier;
  readonly clock: Pick<Clock, 'now'>;
  /** The keys document as the root signed it. */
  readonly keysJws: string;
}

/** Proof of one entry against the first checkpoint that covers it. */
export interface Proof {
  readonly index: number;
  readonly treeSize: number;
  /** C2SP tlog-proof. */
  readonly text: string;
}

/** A stored receipt of a run, or of a swap of providers. */
export interface FoundReceipt {
  readonly kind: 'run' | 'swap';
  readonly stored: StoredSwap;
}

/** A receipt with its proof and verdict at this time. */
export interface ReceiptView extends FoundReceipt {
  /** Absent: the entry is not in a signed tree yet. */
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

/** Looks among runs first: most receipts belong to runs. @returns undefined: the tenant has no such receipt */
export async function findReceipt(
  ledger: Pick<Ledger, 'receipt' | 'swapReceipt'>,
  tenant: string,
  receiptId: string,
): Promise<FoundReceipt | undefined> {
  const run = await ledger.receipt(tenant, receiptId);
  if (run) return { kind: 'run', stored: run };
  const swap = await ledger.swapReceipt(tenant, receiptId);
  return swap && { kind: 'swap', stored: swap };
}

export async function loadReceipt(
  source: ReceiptSource,
  tenant: string,
  receiptId: string,
): Promise<ReceiptView | undefined> {
  const found = await findReceipt(source.ledger, tenant, receiptId);
  if (!found) return undefined;
  const proof = await proofOf(source.ledger, found.stored.logIndex);
  return { ...found, proof, verification: await source.verifier.verify(found.stored.jws, proof?.text ?? null) };
}

/**
 * The JSON form of trust.md §1.6. The form of a swap has neither score nor risk (failover.md §10).
 * @param query suffix for the address of the proof
 */
export function receiptJson(view: ReceiptView, source: ReceiptSource, query: string): JsonObject {
  const { kind, stored, proof, verification } = view;
  const signed = verification.signatureValid;
  const record = recordOf(stored.jws);
  const log = proof && {
    origin: source.ledger.identity.logOrigin,
    index: proof.index,
    tree_size: proof.treeSize,
    proof_url: `/receipts/${stored.receiptId}/proof${query}`,
  };
  return {
    ...(kind === 'swap' ? swapSummaryOf(stored, signed) : summaryOf(stored, record, signed)),
    record,
    jws: stored.jws,
    log: log ?? null,
    verification: {
      verdict: verification.verdict,
      code: verification.code,
      checks: shownChecks(verification, kind).map((check) => ({ ...check })),
      key: verification.key ? { kid: verification.key.kid, status: verification.key.status } : null,
      verified_at: new Date(source.clock.now()).toISOString(),
    },
  };
}

/** The bundle of trust.md §1.6: all data that a verifier needs, except the pinned root. */
export const receiptBundle = (view: ReceiptView, source: ReceiptSource): JsonObject => ({
  format: 'orb-bundle/1',
  jws: view.stored.jws,
  tlog_proof: view.proof?.text ?? null,
  keys_jws: source.keysJws,
});
