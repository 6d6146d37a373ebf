import type { KeyObject } from 'node:crypto';
import type { Signer } from '../../core/receipt/signer.ts';

/** The keys that a service signs and encrypts with (trust.md §3.1), read once at start. */
export interface PlatformKeys {
  /** Signs receipts, on the main thread and on the one that signs under load. */
  readonly receipt: { readonly kid: string; readonly privateKey: KeyObject };
  /** Public half of `receipt`, for the self-check: read from the published keys document, not from the private key. */
  readonly receiptPublic: KeyObject;
  /** Signs certificates and their status lists. */
  readonly certificate: Signer;
  /** Log key: passed to the ledger's writer, which signs checkpoints. */
  readonly log: { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: Uint8Array };
  /** Key of caller tags, 32 bytes. */
  readonly tagKey: Uint8Array;
  /** AES-256 key of stored answers, 32 bytes. */
  readonly dataKey: Uint8Array;
  /** Key of the ids in the URLs of signal sources, 32 bytes. */
  readonly ingestIdKey: Uint8Array;
  /** The keys document, signed by the root (`orb-keys+jws`), served unchanged. */
  readonly keysJws: string;
  /** Thumbprint of the pinned root and its public JWK, for the `orb trust add` line. */
  readonly root: {
    readonly kid: string;
    readonly jwk: { readonly crv: 'Ed25519'; readonly kty: 'OKP'; readonly x: string };
  };
  readonly issuer: string;
  readonly logOrigin: string;
  /** JCS texts of the `key_event` entries that belong to the keys document, in order. */
  readonly keyEvents: readonly string[];
}
