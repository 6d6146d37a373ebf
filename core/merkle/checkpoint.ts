import { encodeBase64 } from '../json/base64.ts';
import { concatBytes, encodeUtf8 } from '../json/bytes.ts';
import type { Sha256 } from '../json/digest.ts';
import { encodeHex } from '../json/hex.ts';

/** Head of a log: C2SP tlog-checkpoint without extension lines. */
export interface Checkpoint {
  /** Log origin, `orbs.example/log`: no space, no `+`, no control character. */
  readonly origin: string;
  /** Leaves in the tree. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

const ED25519 = 0x01; // signature type of C2SP signed-note

/** Length in bytes of the key id in front of a note's signature. */
export const KEY_ID_BYTES = 4;

/** The signed text of a checkpoint: `origin\nsize\nb64(root)\n`. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${encodeBase64(root)}\n`;

const typedKey = (publicKey: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(ED25519), publicKey);

/** Key id of C2SP signed-note: SHA-256(origin ‖ 0x0A ‖ 0x01 ‖ public key)[0:4]. */
export const keyId = (origin: string, publicKey: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(keyIdInput(origin, publicKey)).slice(0, KEY_ID_BYTES);

/** The input that `keyId` hashes, for verifiers with an asynchronous SHA-256. */
export const keyIdInput = (origin: string, publicKey: Uint8Array): Uint8Array =>
  concatBytes(encodeUtf8(`${origin}\n`), typedKey(publicKey));

/** A log's key as text: `origin+hex(key id)+b64(0x01 ‖ public key)`. */
export const vkey = (origin: string, publicKey: Uint8Array, sha256: Sha256): string =>
  `${origin}+${encodeHex(keyId(origin, publicKey, sha256))}+${encodeBase64(typedKey(publicKey))}`;

/**
 * Signs a checkpoint as a C2SP note with one signature line.
 * @param id from `keyId` of the log key
 * @param sign Ed25519 over the text, 64 bytes
 */
export function signNote(checkpoint: Checkpoint, id: Uint8Array, sign: (bytes: Uint8Array) => Uint8Array): string {
  const text = checkpointText(checkpoint);
  return `${text}\n— ${checkpoint.origin} ${encodeBase64(concatBytes(id, sign(encodeUtf8(text))))}\n`;
}
