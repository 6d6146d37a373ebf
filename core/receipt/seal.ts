import type { Sha256Hex } from '../json/digest.ts';
import { signJws, type Encoding } from './jws.ts';
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

/** Signs a record as `orb-receipt+jws` (trust.md §1.3). @throws TypeError the record does not fit the profile */
export function sealReceipt(record: ReceiptRecord, { signer, sha256Hex, encoding }: SealTools): SealedReceipt {
  const jws = signJws(serialiseRecord(record), 'orb-receipt+jws', signer, encoding);
  return { jws, jwsSha256: sha256Hex(jws) };
}
