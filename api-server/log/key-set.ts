import type { JsonObject } from '../../core/json/json-value.ts';
import type { KeyRole, PublishedKey } from '../../core/receipt/keys-document.ts';

/** A key that stopped signing is in the key set this long: caches and stored tokens still refer to it. */
const RETIRED_SHOWN_MS = 30 * 24 * 3600 * 1000;
/** Roles whose signatures are JWS. The log key is in the keys document only: it signs no token (trust.md §3.1). */
const JWS_ROLES: ReadonlySet<KeyRole> = new Set(['receipt', 'certificate']);

function isShown(key: PublishedKey, now: number): boolean {
  if (!JWS_ROLES.has(key.role)) return false;
  if (key.status === 'active' || key.status === 'next') return true;
  return key.status === 'retired' && key.not_after !== null && now - Date.parse(key.not_after) <= RETIRED_SHOWN_MS;
}

/** RFC 7517 key set: active, next and recently retired keys, never a revoked one. @param now ms since epoch */
export const keySetOf = (keys: readonly PublishedKey[], now: number): JsonObject => ({
  keys: keys
    .filter((key) => isShown(key, now))
    .map(({ kid, jwk }) => ({ kty: 'OKP', crv: 'Ed25519', x: jwk.x, alg: 'Ed25519', use: 'sig', kid })),
});
