import { encodeBase64Url } from '../../core/json/base64.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { signJws } from '../../core/receipt/jws.ts';
import type { PublishedKey } from '../../core/receipt/keys-document.ts';
import { keyEventEntry } from '../../core/receipt/log-entry.ts';
import {
  FILES,
  PUBLISHED_ROLES,
  SECRET_KEYS,
  signingKeyFrom,
  type PublishedRole,
  type SigningKey,
} from './key-folder.ts';
import { nodeEncoding, signerOf } from './primitives.ts';

export interface NewKeys {
  /** https origin without a path; fixed with the ledger. */
  readonly issuer: string;
  /** Ms since epoch. */
  readonly now: number;
  /** Cryptographic random bytes. */
  readonly random: (bytes: number) => Uint8Array;
}

const KEY_BYTES = 32;
const SECOND_MS = 1000;

/**
 * @param notBefore ISO time of a whole second: certificates have times of whole seconds, and one that is issued in the
 * key's first second would otherwise lie before its key
 */
function publishedKey(role: PublishedRole, { kid, jwk }: SigningKey, notBefore: string): PublishedKey & JsonObject {
  const unused = { not_after: null, revoked_at: null, revoked_log_index: null, reason: null };
  return { kid, jwk: { ...jwk }, role, status: 'active', not_before: notBefore, ...unused };
}

const pem = ({ privateKey }: SigningKey): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/**
 * New keys of every kind in trust.md §3.1. They are the receipt, log, certificate and root keys (Ed25519), and those of
 * caller tags, stored answers and ingestion ids. The keys document (sequence 1) comes with its log entries.
 * @returns file name → text, as a key folder or a Secret holds them
 */
export function newKeyFiles({ issuer, now, random }: NewKeys): ReadonlyMap<string, string> {
  const at = new Date(now).toISOString();
  const notBefore = new Date(Math.floor(now / SECOND_MS) * SECOND_MS).toISOString();
  const root = signingKeyFrom(random(KEY_BYTES));
  const keys = PUBLISHED_ROLES.map((role) => [role, signingKeyFrom(random(KEY_BYTES))] as const);
  const published = keys.map(([role, key]) => publishedKey(role, key, notBefore));
  const document: JsonObject = {
    schema: `${issuer}/schemas/keys/v1`,
    issuer,
    log_origin: `${new URL(issuer).host}/log`,
    sequence: 1,
    issued_at: at,
    keys: published,
  };
  const events = published.map(({ kid, role }) => keyEventEntry({ kid, role, event: 'active', reason: null, at }));
  return new Map([
    [FILES.privateKey('root'), pem(root)],
    ...keys.map(([role, key]) => [FILES.privateKey(role), pem(key)] as const),
    ...SECRET_KEYS.map((name) => [FILES.secret(name), `${encodeBase64Url(random(KEY_BYTES))}\n`] as const),
    [FILES.rootJwk, `${jcs({ ...root.jwk })}\n`],
    [FILES.keysJws, `${signJws(jcs(document), 'orb-keys+jws', signerOf(root.kid, root.privateKey), nodeEncoding)}\n`],
    [FILES.keyEvents, events.map((event) => `${event}\n`).join('')],
  ]);
}
