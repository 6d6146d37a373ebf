/** Holder of one Ed25519 private key of one role; can be backed by a KMS (trust.md §3.1). */
export interface Signer {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  /** 64-byte Ed25519 signature; synchronous, 30 to 80 µs. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}
