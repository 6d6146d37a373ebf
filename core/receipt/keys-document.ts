import { decodeBase64Url, encodeBase64Url } from '../json/base64.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import type { JsonObject } from '../json/json-value.ts';
import { schemaIsOfIssuer } from './schema-name.ts';
import { closed, httpsOrigin, integer, listOf, matching, nullable, oneOf, text, time } from '../json/shape.ts';

/** Public half of an Ed25519 key (RFC 8037), members in JCS order. */
export interface PublicJwk {
  readonly crv: 'Ed25519';
  readonly kty: 'OKP';
  /** Base64url of 32 bytes. */
  readonly x: string;
}

export type KeyRole = 'receipt' | 'log' | 'certificate';
export type KeyStatus = 'next' | 'active' | 'retired' | 'revoked';

/** One key of the document; keys are never removed (trust.md §3.1). */
export interface PublishedKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly role: KeyRole;
  readonly status: KeyStatus;
  readonly not_before: string;
  /** null: the key has no end. */
  readonly not_after: string | null;
  readonly revoked_at: string | null;
  readonly revoked_log_index: number | null;
  readonly reason: string | null;
}

/** All keys of all times, signed by the root (`orb-keys+jws`). */
export interface KeysDocument {
  readonly schema: string;
  readonly issuer: string;
  readonly log_origin: string;
  /** Grows with each change. A verifier refuses a lower sequence than it has seen. */
  readonly sequence: number;
  readonly issued_at: string;
  readonly keys: readonly PublishedKey[];
}

const X = /^[A-Za-z0-9_-]{43}$/;
const MAX_KEYS = 10_000;

const key = closed({
  kid: matching(X),
  jwk: closed({ crv: oneOf('Ed25519'), kty: oneOf('OKP'), x: matching(X) }),
  role: oneOf('receipt', 'log', 'certificate', 'root'),
  status: oneOf('next', 'active', 'retired', 'revoked'),
  not_before: time,
  not_after: nullable(time),
  revoked_at: nullable(time),
  revoked_log_index: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
  reason: nullable(text(1000)),
});

const members = closed({
  schema: text(512),
  issuer: httpsOrigin,
  log_origin: text(512),
  sequence: integer(1, Number.MAX_SAFE_INTEGER),
  issued_at: time,
  keys: listOf(key, MAX_KEYS),
});

/** Whether a payload is a keys document of version 1. */
export const isKeysDocument = (value: JsonObject): value is JsonObject & KeysDocument =>
  members(value) && schemaIsOfIssuer(value, 'keys');

/** The 32 bytes of a public key. @returns undefined when `x` is not 32 bytes of strict base64url */
export function publicKeyBytes(jwk: PublicJwk): Uint8Array | undefined {
  const bytes = decodeBase64Url(jwk.x);
  return bytes?.length === 32 ? bytes : undefined;
}

/** The input of a key's RFC 7638 thumbprint hash. */
export const thumbprintInput = (jwk: PublicJwk): Uint8Array =>
  encodeUtf8(`{"crv":"${jwk.crv}","kty":"${jwk.kty}","x":"${jwk.x}"}`);

/** Key id: RFC 7638 thumbprint, base64url of 32 bytes. */
export const thumbprint = (jwk: PublicJwk, sha256: (bytes: Uint8Array) => Uint8Array): string =>
  encodeBase64Url(sha256(thumbprintInput(jwk)));
