import { encodeHex } from './hex.ts';

/** SHA-256 of some bytes as text: `sha256:` and 64 lower-case hexadecimal digits (trust.md, conventions). */
export type Digest = string & { readonly __brand: 'Digest' };

/** Synchronous SHA-256, 32 bytes out. Injected, so that core stays free of a runtime's crypto. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The same as 64 lower-case hexadecimal digits; of a text, the digest of its UTF-8 bytes. */
export type Sha256Hex = (data: Uint8Array | string) => string;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Type guard of `Digest`, so that no cast is needed. */
export const isDigest = (text: string): text is Digest => DIGEST.test(text);

/** Digest of some bytes, as text. */
export function digestOf(bytes: Uint8Array, sha256: Sha256): Digest {
  const digest = `sha256:${encodeHex(sha256(bytes))}`;
  if (!isDigest(digest)) throw new TypeError('SHA-256 is 32 bytes');
  return digest;
}
