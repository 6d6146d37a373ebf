import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { type KeyRole, type KeysDocument, type PublishedKey } from '../../../core/receipt/keys-document.ts';
import { json } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';

/** A key that stopped signing stays in the key set this long: caches and stored tokens still refer to it. */
const RETIRED_SHOWN_MS = 30 * 24 * 3600 * 1000;
/** Roles whose signatures are JWS. The log key is in the keys document only: it signs no token (trust.md §3.1). */
const JWS_ROLES: ReadonlySet<KeyRole> = new Set(['receipt', 'certificate']);

function isShown(key: PublishedKey, now: number): boolean {
  if (!JWS_ROLES.has(key.role)) return false;
  if (key.status === 'active' || key.status === 'next') return true;
  return key.status === 'retired' && key.not_after !== null && now - Date.parse(key.not_after) <= RETIRED_SHOWN_MS;
}

/** RFC 7517 key set: active, next and recently retired keys, never a revoked one. @param now ms since epoch */
const keySetOf = (keys: readonly PublishedKey[], now: number): JsonObject => ({
  keys: keys
    .filter((key) => isShown(key, now))
    .map(({ kid, jwk }) => ({ kty: 'OKP', crv: 'Ed25519', x: jwk.x, alg: 'Ed25519', use: 'sig', kid })),
});

export interface KeySource {
  /** The keys document as the root signed it. */
  readonly keysJws: string;
  /** The same document, opened when the service started. */
  readonly document: KeysDocument;
  readonly clock: Pick<Clock, 'now'>;
}

const CACHE = { 'cache-control': 'public, max-age=300' };
const base64url = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' } as const;

function keySetRoute({ document, clock }: KeySource): Route {
  return {
    method: 'get',
    path: '/.well-known/jwks.json',
    scope: 'public',
    handle: () => Promise.resolve(json(keySetOf(document.keys, clock.now()), CACHE)),
    operation: {
      operationId: 'getKeySet',
      summary: 'Keys that sign, as RFC 7517; trust on first use only',
      tags: ['log'],
      responses: {
        '200': {
          description: 'Active, next and recently retired keys.',
          content: {
            'application/json': {
              schema: closed({
                keys: {
                  type: 'array',
                  items: closed({
                    kty: { const: 'OKP' },
                    crv: { const: 'Ed25519' },
                    x: base64url,
                    alg: { const: 'Ed25519' },
                    use: { const: 'sig' },
                    kid: base64url,
                  }),
                },
              }),
            },
          },
        },
      },
      problems: [],
    },
  };
}

const keysDocumentRoute = ({ keysJws }: KeySource): Route => ({
  method: 'get',
  path: '/.well-known/orb-keys.json',
  scope: 'public',
  handle: () => Promise.resolve(json({ jws: keysJws }, CACHE)),
  operation: {
    operationId: 'getKeysDocument',
    summary: 'All keys ever, signed by the root',
    tags: ['log'],
    responses: {
      '200': {
        description: 'A JWS of type orb-keys+jws.',
        content: { 'application/json': { schema: closed({ jws: shapes.jws }) } },
      },
    },
    problems: [],
  },
});

/** `/.well-known/*` (trust.md §3.1). */
export const keyRoutes = (source: KeySource): readonly Route[] => [keySetRoute(source), keysDocumentRoute(source)];
