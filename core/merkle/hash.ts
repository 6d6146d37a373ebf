import type { Sha256 } from '../json/digest.ts';

/** Hash input of a leaf: `0x00 ‖ entry` (RFC 6962 §2.1). */
export function leafInput(entry: Uint8Array): Uint8Array {
  const input = new Uint8Array(entry.length + 1);
  input.set(entry, 1);
  return input;
}

/** Hash input of a node: `0x01 ‖ left ‖ right`; left and right have 32 bytes each. */
export function nodeInput(left: Uint8Array, right: Uint8Array): Uint8Array {
  const input = new Uint8Array(65);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 33);
  return input;
}

/** Leaf hash of an entry's bytes (RFC 6962 §2.1; trust.md §2.2), 32 bytes. */
export const leafHash = (entry: Uint8Array, sha256: Sha256): Uint8Array => sha256(leafInput(entry));

/** Hash of a node over its two children, 32 bytes. */
export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(nodeInput(left, right));

/** Root of the tree without entries: SHA-256 of no bytes. */
export const emptyRoot = (sha256: Sha256): Uint8Array => sha256(new Uint8Array(0));
