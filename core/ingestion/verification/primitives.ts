/** Digests of an HMAC. SHA-1 is there for Segment alone. */
export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512';

/**
 * Cryptography that a program injects, so that core needs no runtime's crypto. All are synchronous.
 * No member throws on malformed input; a key that can't be read verifies nothing.
 */
export interface WebhookPrimitives {
  /** HMAC of the parts, one after the other, without copying them. */
  readonly hmac: (algorithm: HmacAlgorithm, key: Uint8Array, parts: readonly Uint8Array[]) => Uint8Array;
  /** 32 bytes. */
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** 16 bytes; for StatusCake's token alone. */
  readonly md5: (bytes: Uint8Array) => Uint8Array;
  /** ECDSA over P-256 with SHA-256. @param spki public key, DER @param signature DER */
  readonly ecdsaVerify: (spki: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean;
  /** @param publicKey 32 bytes @param signature 64 bytes */
  readonly ed25519Verify: (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean;
  /** Compares in constant time. Both have the same length: the caller checks it first. */
  readonly timingSafeEqual: (one: Uint8Array, other: Uint8Array) => boolean;
}
