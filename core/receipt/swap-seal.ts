import { jcs } from '../json/jcs.ts';
import { signJws } from './jws.ts';
import { privateSwapEntry, swapEntry } from './log-entry.ts';
import { fitsProfile } from './profile.ts';
import type { SealTools } from './seal.ts';
import { isSwapReceipt } from './swap-record-schema.ts';
import type { SwapReceipt } from './swap-record.ts';

export interface SealedSwap {
  /** Compact JWS, at most 6 kB. */
  readonly jws: string;
  /** JCS text of its log entry. */
  readonly entry: string;
}

/**
 * Signs the record of a swap as `orb-swap+jws`.
 * @param isPublished (orb_id, manifest_digest) has a `publish` entry in the log already
 * @throws TypeError the record does not fit its schema or profile, so no verifier would accept it
 */
export function sealSwap(record: SwapReceipt, isPublished: boolean, tools: SealTools): SealedSwap {
  if (!isSwapReceipt(record) || !fitsProfile(record)) throw new TypeError('the record of a swap is not of its schema');
  const { signer, sha256Hex, encoding } = tools;
  const jws = signJws(jcs(record), 'orb-swap+jws', signer, encoding);
  return { jws, entry: (isPublished ? swapEntry : privateSwapEntry)(record, sha256Hex(jws)) };
}
