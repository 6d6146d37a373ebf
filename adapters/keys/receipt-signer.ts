import { sign, type KeyObject } from 'node:crypto';
import type { NativeEd25519, SignEd25519 } from './native-ed25519.ts';
import { PKCS8_HEAD } from './key-folder.ts';

/**
 * Signs by libsodium, with a tenth to a sixth less work for the event loop than by `node:crypto` (performance.md §8), or by
 * `node:crypto` where libsodium can't be loaded. Both make the same bytes.
 * @param key private, of Ed25519 @throws TypeError it is another key
 */
export function ed25519Signing(key: KeyObject, native: NativeEd25519): SignEd25519 {
  if (!native.ok) return (message) => sign(null, message, key);
  const der = key.export({ format: 'der', type: 'pkcs8' });
  try {
    const [head, seed] = [der.subarray(0, PKCS8_HEAD.length), der.subarray(PKCS8_HEAD.length)];
    if (!head.equals(PKCS8_HEAD)) throw new TypeError('not an Ed25519 key');
    return native.signWith(seed);
  } finally {
    der.fill(0);
  }
}
