/** Cryptographic functions of a verifier; those of a browser are asynchronous, those of Node are not. */
export interface Primitives {
  /** Returns 32 bytes. */
  readonly sha256: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** False for anything that is not a good signature (32-byte key, 64-byte signature); must not throw. */
  readonly ed25519Verify: (
    publicKey: Uint8Array,
    signature: Uint8Array,
    message: Uint8Array,
  ) => boolean | Promise<boolean>;
}
