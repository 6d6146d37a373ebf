/** SHA-256 of some bytes as text: `sha256:` and 64 lower-case hexadecimal digits (trust.md, conventions). */
export type Digest = string & { readonly __brand: 'Digest' };

/** Synchronous SHA-256, 32 bytes out. Injected, so that core stays free of a runtime's crypto. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The guard that makes the brand: no cast anywhere. */
export const isDigest = (text: string): text is Digest => DIGEST.test(text);
