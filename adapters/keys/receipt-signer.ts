import { sign, type KeyObject } from 'node:crypto';
import type { NativeEd25519, SignEd25519 } from './native-ed25519.ts';
import { SEED_BYTES } from './primitives.ts';

/** PKCS #8 of an Ed25519 key (RFC 8410 §7): the seed is the last part of it. */
const DER_BYTES = 48;

/**
 * Signs by libsodium, with a tenth to a sixth less work for the event loop than by `node:crypto` (performance.md §8), or by
 * `node:crypto` where libsodium can't be loaded. Both make the same bytes.
 * @param key private, of Ed25519 @throws TypeError it is another key
 */
export function ed25519Signing(key: KeyObject, native: NativeEd25519): SignEd25519 {
  if (!native.ok) return (message) => sign(null, message, key);
  const der = key.export({ format: 'der', type: 'pkcs8' });
  try {
    if (key.asymmetricKeyType !== 'ed25519' || der.length !== DER_BYTES) throw new TypeError('not an Ed25519 key');
    return native.signWith(der.subarray(-SEED_BYTES));
  } finally {
    der.fill(0);
  }
}
