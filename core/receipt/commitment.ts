import type { Sha256Hex } from '../json/digest.ts';
import type { CommitmentRecord } from './record.ts';

/** The input of a salted commitment's hash: the salt, then the bytes (trust.md §1.4). */
export function commitmentInput(salt: Uint8Array, bytes: Uint8Array): Uint8Array {
  const input = new Uint8Array(salt.length + bytes.length);
  input.set(salt);
  input.set(bytes, salt.length);
  return input;
}

/**
 * A salted commitment (trust.md §1.4).
 * @param salt 16 random bytes, given to the caller once and never stored
 * @param bytes JCS of a JSON value, or the raw bytes of anything else
 */
export const commit = (
  salt: Uint8Array,
  bytes: Uint8Array,
  mediaType: string,
  sha256Hex: Sha256Hex,
): CommitmentRecord => ({
  commitment: `sha256:${sha256Hex(commitmentInput(salt, bytes))}`,
  media_type: mediaType,
  size_bytes: bytes.length,
});
