import type { Sha256Hex } from '../json/digest.ts';
import { signingInput, signInput, type Encoding } from './jws.ts';
import type { ReceiptRecord } from './record.ts';
import { serialiseRecord } from './serialise.ts';
import type { Signer } from './signer.ts';

export interface SealedReceipt {
  /** Compact JWS, about 2.5 kB. */
  readonly jws: string;
  /** Lower-case hex of the SHA-256 of the JWS string. */
  readonly jwsSha256: string;
}

/** Functions that sealing needs. They are synchronous, because sealing is on the run path. */
export interface SealTools {
  readonly signer: Signer;
  readonly sha256Hex: Sha256Hex;
  readonly encoding: Encoding;
}

/** Header and payload of a record's receipt (trust.md §1.3). @throws TypeError the record does not fit the profile */
export const receiptInput = (record: ReceiptRecord, { signer, encoding }: SealTools): string =>
  signingInput(serialiseRecord(record), 'orb-receipt+jws', signer, encoding);

/** Signs a record as `orb-receipt+jws`. @throws TypeError as `receiptInput` */
export const sealReceipt = (record: ReceiptRecord, tools: SealTools): SealedReceipt =>
  sealInput(receiptInput(record, tools), tools);

/** Signs what `receiptInput` made. */
export function sealInput(input: string, { signer, sha256Hex, encoding }: SealTools): SealedReceipt {
  const jws = signInput(input, signer, encoding);
  return { jws, jwsSha256: sha256Hex(jws) };
}
