import type { StoredSwap } from '../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';

/** The signed record of a stored JWS, unverified; null when the payload is not a JSON object. */
export function recordOf(jws: string): JsonObject | null {
  const [, payload = ''] = jws.split('.');
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The five members of a summary (trust.md §1.6): all but `signature_valid` are copies of signed members.
 * A record that can't be read has nulls for score and risk, so that one bad row does not hide the others.
 */
export const summaryOf = (
  stored: Pick<StoredSwap, 'receiptId' | 'issuedAt'>,
  record: JsonObject | null,
  signatureValid: boolean,
): JsonObject => ({
  receipt_id: stored.receiptId,
  trust_score: member(record, 'trust_score') ?? null,
  risk_level: member(record, 'risk_level') ?? null,
  signature_valid: signatureValid,
  timestamp: new Date(stored.issuedAt).toISOString(),
});

/** The summary of a swap: nothing was executed, so it has no score and no risk. */
export const swapSummaryOf = (
  stored: Pick<StoredSwap, 'receiptId' | 'issuedAt'>,
  signatureValid: boolean,
): JsonObject => ({
  kind: 'swap',
  receipt_id: stored.receiptId,
  signature_valid: signatureValid,
  timestamp: new Date(stored.issuedAt).toISOString(),
});
