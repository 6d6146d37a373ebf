import type { JsonObject } from '../json/json-value.ts';
import { privateEntry, privateSwapEntry, receiptEntry, swapEntry } from '../receipt/log-entry.ts';
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

/**
 * The log may hold either form of the entry, depending on what was published at that time (trust.md §2.1). The more
 * frequent form comes first: each takes a walk up the tree.
 * @param jwsSha256 lower-case hex of the SHA-256 of the JWS string
 */
export function* entriesOf(signed: SignedRecord, jwsSha256: string): Generator<string> {
  if (signed.kind === 'run') {
    yield privateEntry(signed.record, jwsSha256);
    yield receiptEntry(signed.record, jwsSha256);
  } else {
    yield privateSwapEntry(signed.record, jwsSha256);
    yield swapEntry(signed.record, jwsSha256);
  }
}
