import { expect } from 'chai';
import type { Route } from '../../../../api-server/http/route.ts';
import { createApp } from '../../../../api-server/http/server.ts';
import { aClock } from '../../../support/api-app.ts';
import { aRoute, echoing, idParameter, things } from '../../../support/test-routes.ts';

/** What a compiler would refuse: routes may come from JavaScript. */
const planted = (some: object): Route => Object.assign(aRoute({}), some);

describe('createApp: routes that must not start', () => {
  const rows: [string, readonly Route[], RegExp][] = [
    ['without a scope', [planted({ scope: undefined })], /GET \/things has no scope/],
    ['with a scope that does not exist', [planted({ scope: 'receipts:everything' })], /GET \/things has no scope/],
    ['twice', [things, aRoute({}, 'other')], /GET \/things is there twice/],
    [
      'twice under another parameter name',
      [
        echoing,
        {
          ...echoing,
          path: '/things/{name}',
          operation: { ...echoing.operation, operationId: 'x', parameters: [{ ...idParameter, name: 'name' }] },
        },
      ],
      /is there twice/,
    ],
    ['with an operationId that is taken', [things, aRoute({ path: '/other' })], /operationId/],
    ['with a parameter that it does not declare', [aRoute({ path: '/things/{id}' })], /path parameters/],
    ['with an Express pattern', [aRoute({ path: '/things/*all' })], /malformed path/],
  ];
  for (const [why, routes, expected] of rows) {
    it(`throws for a route ${why}`, () => {
      const options = { authenticate: () => ({ kind: 'unauthenticated' }) as const, clock: aClock() };
      const rest = {
        logger: { error: () => undefined },
        random: (n: number) => new Uint8Array(n),
        observe: () => undefined,
      };
      const admission = { admit: () => ({ kind: 'refused', code: 'overloaded' }) as const, inFlight: () => 0 };
      expect(() => createApp({ routes, admission, ...options, ...rest })).to.throw(TypeError, expected);
    });
  }
});
