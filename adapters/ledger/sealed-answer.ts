import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { freeBytes } from '../memory/free-bytes.ts';

/**
 * The key that an answer belongs to. It is authenticated with the answer, so that the answer can't be served under
 * another key.
 */
export interface AnswerPlace {
  readonly tenant: string;
  readonly path: string;
  readonly key: string;
}

/** Random bytes that one answer needs: a nonce of AES-GCM. */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

// As JSON, two places never have the same text: ("a", "bc") differs from ("ab", "c").
const placeBytes = ({ tenant, path, key }: AnswerPlace): Buffer => Buffer.from(JSON.stringify([tenant, path, key]));

/**
 * Encrypts bytes that are kept (trust.md §2.3).
 * @param dataKey 32 bytes
 * @param nonce 12 random bytes, never used before with this key
 * @returns nonce ‖ tag ‖ ciphertext, in memory of its own
 */
export function sealBytes(bytes: Uint8Array, place: AnswerPlace, dataKey: Uint8Array, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv(ALGORITHM, dataKey, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(placeBytes(place));
  const parts = [cipher.update(bytes), cipher.final()];
  const sealed = new Uint8Array(NONCE_BYTES + TAG_BYTES + bytes.length);
  let end = 0;
  for (const part of [nonce, cipher.getAuthTag(), ...parts]) {
    sealed.set(part, end);
    end += part.length;
  }
  for (const part of parts) freeBytes(part);
  return sealed;
}

/** Decrypts the result of `sealBytes`. @throws Error another key, another place, or a changed byte */
export function openBytes(sealed: Uint8Array, place: AnswerPlace, dataKey: Uint8Array): Buffer {
  const textStart = NONCE_BYTES + TAG_BYTES;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, dataKey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, textStart));
  // This mode holds no bytes back: its last part is empty, and checks the tag.
  const opened = decipher.update(sealed.subarray(textStart));
  decipher.final();
  return opened;
}

/** Encrypts a stored answer, as `sealBytes`. */
export const sealAnswer = (answer: string, place: AnswerPlace, dataKey: Uint8Array, nonce: Uint8Array): Uint8Array =>
  sealBytes(Buffer.from(answer, 'utf8'), place, dataKey, nonce);

/** Decrypts the result of `sealAnswer`. @throws Error another key, another place, or a changed byte */
export const openAnswer = (sealed: Uint8Array, place: AnswerPlace, dataKey: Uint8Array): string =>
  openBytes(sealed, place, dataKey).toString('utf8');

/**
 * What a row keeps of a request's body. Its key is secret and its ledger's own: who reads the file can't try out bodies,
 * and two rows never show that their bodies are equal.
 * @param bodySha256 lower-case hex SHA-256 of the body
 * @param dataKey 32 bytes
 * @returns lower-case hex
 */
export const bodyTag = (bodySha256: string, { tenant, path, key }: AnswerPlace, dataKey: Uint8Array): string =>
  createHmac('sha256', dataKey)
    .update(JSON.stringify(['idempotency-body', tenant, path, key, bodySha256]))
    .digest('hex');
