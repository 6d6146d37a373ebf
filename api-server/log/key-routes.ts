import type { Clock } from '../../adapters/time/clock.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { json } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { closed, shapes } from '../http/schemas.ts';
import { keySetOf } from './key-set.ts';

export interface KeySource {
  /** As signed by the root. */
  readonly keysJws: string;
  /** The same, opened when the service started. */
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
