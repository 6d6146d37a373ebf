import type { StoredReceipt } from '../../adapters/ledger/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { jcs } from '../../core/json/jcs.ts';
import { commit } from '../../core/receipt/commitment.ts';
import { newId } from '../../core/receipt/ids.ts';
import { privateEntry, receiptEntry } from '../../core/receipt/log-entry.ts';
import type { CommitmentRecord, ReceiptRecord } from '../../core/receipt/record.ts';
import { receiptInput, sealInput, sealReceipt, type SealedReceipt } from '../../core/receipt/seal.ts';
import { orgOf } from '../../core/reputation/line.ts';
import { recordOf, type RunEnding, type RunSeed } from '../../core/run/record.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A signed receipt with the other data that the ledger needs. */
export interface SealedRun {
  readonly record: ReceiptRecord;
  readonly jws: string;
  readonly entry: string;
  /** Whether the log names the Orb. */
  readonly isPublic: boolean;
  /** Whether the signature fits the published key, where that was checked already. */
  readonly fits?: boolean;
}

/** A salted commitment over a JSON value, with the salt for the caller (trust.md §1.4). */
export interface Commitment {
  /** base64url. */
  readonly salt: string;
  readonly record: CommitmentRecord;
}

/** @param bytes canonical JSON */
export function commitBytes({ random, sealing }: Runtime, bytes: Uint8Array): Commitment {
  const { encoding, sha256Hex } = sealing;
  const salt = random(16);
  return { salt: encoding.base64Url(salt), record: commit(salt, bytes, 'application/json', sha256Hex) };
}

/** @param text canonical JSON */
export const commitText = (runtime: Runtime, text: string): Commitment =>
  commitBytes(runtime, runtime.sealing.encoding.utf8(text));

export const commitJson = (runtime: Runtime, value: JsonObject): Commitment => commitText(runtime, jcs(value));

/** Only runs of published bytes are visible in the log (trust.md §2.1). */
const isPublicRun = ({ published }: Runtime, { orb }: ReceiptRecord): boolean =>
  published.version(orb.id)?.manifestDigest === orb.manifest_digest;

/**
 * Whether the caller owns the Orb (trust.md §1.1): at the start of its run, or by now. Else a tenant could let runs begin,
 * claim the organisation and publish, and they would count as those of a stranger.
 */
const isSelf = ({ published }: Runtime, { self, tenant, orb_id: orbId }: RunSeed): boolean =>
  self || published.ownerOf(orgOf(orbId)) === tenant;

/** Writes and scores the receipt of a run. */
function writeRun(runtime: Runtime, seed: RunSeed, ending: RunEnding): WrittenRun {
  const issuedAt = Math.max(runtime.clock.now(), ending.finishedAt);
  const record = recordOf({ ...seed, self: isSelf(runtime, seed) }, ending, {
    issuer: runtime.issuer,
    issuedAt,
    callerTag: runtime.tags.of(seed.tenant, ending.finishedAt),
    receiptId: newId('rcpt_', issuedAt, runtime.random),
  });
  return { record, isPublic: isPublicRun(runtime, record) };
}

/** What is known before the signature: who owns the Orb, and whether it is published, count as of one moment. */
type WrittenRun = Pick<SealedRun, 'record' | 'isPublic'>;

function withEntry({ record, isPublic }: WrittenRun, { jws, jwsSha256 }: SealedReceipt): SealedRun {
  const entryOf = isPublic ? receiptEntry : privateEntry;
  return { record, isPublic, jws, entry: entryOf(record, jwsSha256) };
}

/** Writes, scores and signs the receipt of a run, with its log entry. */
export function sealRun(runtime: Runtime, seed: RunSeed, ending: RunEnding): SealedRun {
  const written = writeRun(runtime, seed, ending);
  return withEntry(written, sealReceipt(written.record, runtime.sealing));
}

/** The same. While many receipts come up, the thread that checks them signs them too. */
export async function sealRunUnderLoad(runtime: Runtime, seed: RunSeed, ending: RunEnding): Promise<SealedRun> {
  const { sealing, selfCheck } = runtime;
  const written = writeRun(runtime, seed, ending);
  const input = receiptInput(written.record, sealing);
  const signed = await selfCheck.sign(input);
  if (signed === undefined) return withEntry(written, sealInput(input, sealing));
  const { signature, jwsSha256, fits } = signed;
  return { ...withEntry(written, { jws: `${input}.${signature}`, jwsSha256 }), fits };
}

/** The five members of the spec (§2.3), copied from the signed record; `signatureValid` was just computed. */
export const summaryOf = (record: ReceiptRecord, signatureValid: boolean): JsonObject => ({
  receipt_id: record.receipt_id,
  trust_score: record.trust_score,
  risk_level: record.risk_level,
  signature_valid: signatureValid,
  timestamp: record.issued_at,
});

/** The ledger's row for a sealed receipt. */
export const receiptRow = (
  sealed: SealedRun,
): Omit<StoredReceipt, 'tenant' | 'logIndex'> & { readonly entry: string } => ({
  receiptId: sealed.record.receipt_id,
  orbId: sealed.record.orb.id,
  outcome: sealed.record.execution.outcome,
  issuedAt: Date.parse(sealed.record.issued_at),
  jws: sealed.jws,
  entry: sealed.entry,
});
