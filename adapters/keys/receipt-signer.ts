import { sign, type KeyObject } from 'node:crypto';
import type { Signer } from '../../core/receipt/signer.ts';
import { loadNativeEd25519, type NativeEd25519, type SignEd25519 } from './native-ed25519.ts';
import { SEED_BYTES } from './primitives.ts';

/**
 * Signs by libsodium, which takes an eighth of the event loop's work less than `node:crypto` (performance.md §8), or by
 * `node:crypto` where libsodium can't be loaded. Both make the same bytes.
 * @param key private, of Ed25519 @param native default: libsodium, loaded for this thread
 */
export function ed25519Signing(key: KeyObject, native: NativeEd25519 = loadNativeEd25519()): SignEd25519 {
  if (!native.ok) return (message) => sign(null, message, key);
  const der = key.export({ format: 'der', type: 'pkcs8' });
  // RFC 8410 §7: the seed is the last part of it.
  const signing = native.signWith(der.subarray(-SEED_BYTES));
  der.fill(0);
  return signing;
}

/** What signs receipts: some thousands a second. @param kid RFC 7638 thumbprint of the key's public half */
export const receiptSignerOf = (kid: string, privateKey: KeyObject): Signer => ({
  kid,
  sign: ed25519Signing(privateKey),
});
