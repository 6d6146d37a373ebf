import { hash, sign, type KeyObject } from 'node:crypto';
import type { SignatureChecker } from './signature-checker.ts';

/** A signature of a receipt, checked. */
export interface Signed {
  /** base64url of 64 bytes. */
  readonly signature: string;
  /** Lower-case hex of the SHA-256 of the whole JWS. */
  readonly jwsSha256: string;
  /** Whether the signature fits the published key. */
  readonly fits: boolean;
}

/** Signs a receipt and checks it with the published key. @param input header and payload of a JWS, ASCII */
export function signAndCheck(input: string, key: KeyObject, { fits }: Pick<SignatureChecker, 'fits'>): Signed {
  const signature = sign(null, Buffer.from(input, 'latin1'), key).toString('base64url');
  const jws = `${input}.${signature}`;
  return { signature, jwsSha256: hash('sha256', jws, 'hex'), fits: fits(jws) };
}
