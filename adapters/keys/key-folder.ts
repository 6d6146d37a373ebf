import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { decodeBase64Url } from '../../core/json/base64.ts';
import { thumbprint, type PublicJwk } from '../../core/receipt/keys-document.ts';
import { sha256 } from './primitives.ts';

/** Roles whose keys are signed into the keys document. The root signs the document and is not in it. */
export const PUBLISHED_ROLES = ['receipt', 'log', 'certificate'] as const;
export const SECRET_KEYS = ['tag', 'data', 'ingest-id'] as const;

export type PublishedRole = (typeof PUBLISHED_ROLES)[number];

/** Files of the folder; on a cluster the entries of one Secret. The root's private key is removed after the start. */
export const FILES = {
  privateKey: (role: PublishedRole | 'root'): string => `${role}.pem`,
  secret: (name: (typeof SECRET_KEYS)[number]): string => `${name}.key`,
  rootJwk: 'root.jwk',
  keysJws: 'orb-keys.jws',
  keyEvents: 'key-events.ndjson',
} as const;

/** The keys can't be used; the message names the file and says what to do. */
export class KeysError extends Error {
  readonly code: 'keys-missing' | 'keys-invalid' | 'keys-exposed' | 'keys-test' | 'keys-not-published';
  constructor(code: KeysError['code'], message: string) {
    super(message);
    this.name = 'KeysError';
    this.code = code;
  }
}

/** An Ed25519 key with its public half and id. */
export interface SigningKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly privateKey: KeyObject;
}

const KEY_BYTES = 32;
/** What comes before the seed in PKCS #8 (RFC 8410 §7): version, algorithm 1.3.101.112, two OCTET STRINGs in each other. */
export const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

function jwkOf(key: KeyObject): PublicJwk | undefined {
  const { crv, x } = createPublicKey(key).export({ format: 'jwk' });
  return crv === 'Ed25519' && x !== undefined ? { crv, kty: 'OKP', x } : undefined;
}

/** @throws KeysError not an Ed25519 key */
export function signingKeyOf(privateKey: KeyObject): SigningKey {
  const jwk = jwkOf(privateKey);
  if (jwk === undefined) throw new KeysError('keys-invalid', 'A signing key is not an Ed25519 key.');
  return { kid: thumbprint(jwk, sha256), jwk, privateKey };
}

/** @param seed 32 random bytes */
export const signingKeyFrom = (seed: Uint8Array): SigningKey =>
  signingKeyOf(createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' }));

/** @returns undefined unless it is 32 bytes of base64url */
export function readSecretKey(text: string): Uint8Array | undefined {
  const bytes = decodeBase64Url(text.trim());
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}
