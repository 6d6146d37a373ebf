import { verify, type KeyObject } from 'node:crypto';
import { isKeyAndSignature, publicKeyOf, type ed25519Verify } from './primitives.ts';

const MAX_KEYS = 64;
const MAX_PROVEN = 1024;
// A checkpoint has about 100 bytes and comes with many receipts; a receipt has 2 000 and comes once.
const MAX_REPEATED_BYTES = 512;

/** Keeps the newest entries. */
function keep<Value>(map: Map<string, Value>, most: number, key: string, value: Value): Value {
  if (map.size >= most) for (const oldest of map.keys()) if (map.delete(oldest)) break;
  map.set(key, value);
  return value;
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/**
 * Makes a verifier for many signatures of few keys. It answers as `ed25519Verify` does. It keeps the parsed keys, and for
 * short messages which signatures were good, by all bytes of key, signature and message. So another byte is always
 * verified anew. Holds at most 1 MB.
 */
export function repeatedVerify(): typeof ed25519Verify {
  const keys = new Map<string, KeyObject>();
  const proven = new Map<string, true>();

  function isGood(key: string, raw: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
    try {
      const known = keys.get(key) ?? keep(keys, MAX_KEYS, key, publicKeyOf(raw));
      return verify(null, message, known, signature);
    } catch {
      return false;
    }
  }

  return (raw, signature, message) => {
    if (!isKeyAndSignature(raw, signature)) return false;
    const key = textOf(raw);
    if (message.length > MAX_REPEATED_BYTES) return isGood(key, raw, signature, message);
    // Key and signature have a fixed length, so no two triples give the same text.
    const all = `${key}${textOf(signature)}${textOf(message)}`;
    if (proven.has(all)) return true;
    return isGood(key, raw, signature, message) && keep(proven, MAX_PROVEN, all, true);
  };
}
