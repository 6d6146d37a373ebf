import { verify, type KeyObject } from 'node:crypto';

/** Whether the signature of a compact JWS fits an Ed25519 public key. Never throws, whatever the text is. */
export function signatureFits(jws: string, key: KeyObject): boolean {
  const dot = jws.lastIndexOf('.');
  const input = Buffer.from(jws.slice(0, dot), 'latin1');
  try {
    return verify(null, input, key, Buffer.from(jws.slice(dot + 1), 'base64url'));
  } catch {
    return false;
  }
}
