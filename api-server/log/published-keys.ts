import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';

interface PublishedKey {
  readonly kid: string;
  readonly x: string;
  readonly role: string;
  readonly status: string;
  /** Ms since epoch; undefined: no end. */
  readonly notAfter: number | undefined;
}

/** A key that stopped signing is in the key set this long: caches and stored tokens still refer to it. */
const RETIRED_SHOWN_MS = 30 * 24 * 3600 * 1000;
/** Roles whose signatures are JWS. Log and root keys are in the keys document only: they sign no token (trust.md §3.1). */
const JWS_ROLES: ReadonlySet<string> = new Set(['receipt', 'certificate']);

const text = (value: JsonValue | undefined): string => {
  if (typeof value !== 'string') throw new TypeError('the keys document is malformed');
  return value;
};

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

function keyOf(value: JsonValue): PublishedKey {
  const key = objectOf(value);
  const end = key['not_after'];
  return {
    kid: text(key['kid']),
    x: text(objectOf(key['jwk'])['x']),
    role: text(key['role']),
    status: text(key['status']),
    notAfter: typeof end === 'string' ? Date.parse(end) : undefined,
  };
}

/**
 * Keys of the keys document that the service was started with; it was verified then.
 * @throws TypeError not a keys document: a bug of whoever loaded it
 */
export function publishedKeys(keysJws: string): readonly PublishedKey[] {
  const payload: unknown = JSON.parse(Buffer.from(keysJws.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const keys = isJsonObject(payload) ? payload['keys'] : undefined;
  if (!Array.isArray(keys)) throw new TypeError('the keys document is malformed');
  return keys.map(keyOf);
}

function isShown(key: PublishedKey, now: number): boolean {
  if (!JWS_ROLES.has(key.role)) return false;
  if (key.status === 'active' || key.status === 'next') return true;
  return key.status === 'retired' && key.notAfter !== undefined && now - key.notAfter <= RETIRED_SHOWN_MS;
}

/** RFC 7517 key set: active, next and recently retired keys, never a revoked one. @param now ms since epoch */
export const keySetOf = (keys: readonly PublishedKey[], now: number): JsonObject => ({
  keys: keys
    .filter((key) => isShown(key, now))
    .map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, alg: 'Ed25519', use: 'sig', kid })),
});
