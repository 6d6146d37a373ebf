import type { JsonObject } from '../json/json-value.ts';
import type { ReceiptRecord } from '../receipt/record.ts';
import { isReceiptRecord } from '../receipt/record-schema.ts';
import { isSwapReceipt } from '../receipt/swap-record-schema.ts';
import type { SwapReceipt } from '../receipt/swap-record.ts';

/** The content of a receipt with a valid signature and form: the record of a run, or of a swap of providers. */
export type SignedRecord =
  | { readonly kind: 'run'; readonly record: JsonObject & ReceiptRecord }
  | { readonly kind: 'swap'; readonly record: JsonObject & SwapReceipt };

/** Types of receipts, as named in the header. */
export type ReceiptType = 'orb-receipt+jws' | 'orb-swap+jws';

/** Parses a payload by the schema of its type. @returns undefined: `schema` */
export function signedRecordOf(type: ReceiptType, payload: JsonObject): SignedRecord | undefined {
  if (type === 'orb-swap+jws') return isSwapReceipt(payload) ? { kind: 'swap', record: payload } : undefined;
  return isReceiptRecord(payload) ? { kind: 'run', record: payload } : undefined;
}
