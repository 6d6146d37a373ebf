import { hash } from 'node:crypto';
import type { SignEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { nodeEncoding } from '../../adapters/keys/primitives.ts';
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
export function signAndCheck(input: string, sign: SignEd25519, { fits }: Pick<SignatureChecker, 'fits'>): Signed {
  const signature = nodeEncoding.base64Url(sign(Buffer.from(input, 'latin1')));
  const jws = `${input}.${signature}`;
  return { signature, jwsSha256: hash('sha256', jws, 'hex'), fits: fits(jws) };
}
