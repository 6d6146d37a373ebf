import type { StoredSwap } from '../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';

/** The signed record of a stored JWS, unverified; null when the payload is no JSON object. */
export function recordOf(jws: string): JsonObject | null {
  const [, payload = ''] = jws.split('.');
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

const member = (record: JsonObject | null, name: string): JsonValue =>
  record !== null && Object.hasOwn(record, name) ? (record[name] ?? null) : null;

/**
 * The five members of a summary (trust.md §1.6): copies of signed ones, but `signature_valid`.
 * A record that can't be read has nulls for score and risk, so that one bad row hides no others.
 */
export const summaryOf = (
  stored: Pick<StoredSwap, 'receiptId' | 'issuedAt'>,
  record: JsonObject | null,
  signatureValid: boolean,
): JsonObject => ({
  receipt_id: stored.receiptId,
  trust_score: member(record, 'trust_score'),
  risk_level: member(record, 'risk_level'),
  signature_valid: signatureValid,
  timestamp: new Date(stored.issuedAt).toISOString(),
});

/** The same of a swap: nothing was executed, so it has no score and no risk. */
export const swapSummaryOf = (
  stored: Pick<StoredSwap, 'receiptId' | 'issuedAt'>,
  signatureValid: boolean,
): JsonObject => ({
  kind: 'swap',
  receipt_id: stored.receiptId,
  signature_valid: signatureValid,
  timestamp: new Date(stored.issuedAt).toISOString(),
});
