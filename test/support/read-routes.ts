import { healthRoutes } from '../../api-server/health/routes.ts';
import type { Route } from '../../api-server/http/route.ts';
import { keyRoutes } from '../../api-server/log/key-routes.ts';
import { logRoutes } from '../../api-server/log/log-routes.ts';
import { manifestRoute } from '../../api-server/manifests/manifest-route.ts';
import { providerRoutes } from '../../api-server/providers/provider-routes.ts';
import { receiptListRoute } from '../../api-server/receipts/list-route.ts';
import { receiptRoutes } from '../../api-server/receipts/receipt-routes.ts';
import { vectorKeys } from './vector-receipts.ts';

const unasked = (): Promise<never> => Promise.reject(new Error('only the descriptions of the routes are looked at'));

/** Every read route of the API, for tests of what routes say of themselves. */
export function readRoutes(): readonly Route[] {
  const clock = { now: () => 0, monotonic: () => 0 };
  const { keysJws } = vectorKeys;
  const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };
  const ledger = {
    receipt: unasked,
    swapReceipt: unasked,
    checkpointCovering: unasked,
    inclusionProof: unasked,
    identity,
  };
  const verifier = { verify: unasked, isSigned: unasked };
  return [
    ...healthRoutes({ version: '0.0.0', clock, missing: () => [] }),
    ...keyRoutes({ ...vectorKeys, clock }),
    ...logRoutes({ checkpoint: unasked, inclusionProof: unasked, consistencyProof: unasked }),
    ...receiptRoutes({ ledger, verifier, clock, keysJws }),
    receiptListRoute({ receipts: unasked }, verifier),
    manifestRoute({ manifest: unasked }),
  ];
}

/** The routes of providers, for the same tests. */
export const providerRoutesOf = (): readonly Route[] =>
  providerRoutes({
    catalog: { orb: () => undefined },
    pins: { set: unasked, remove: unasked },
    ledger: { idempotent: unasked, keepAnswer: unasked },
    clock: { now: () => 0, monotonic: () => 0, sleep: unasked },
    sha256: () => new Uint8Array(32),
    random: (bytes) => new Uint8Array(bytes),
    logger: { warn: () => undefined },
    replica: { breakers: () => ({}), cooling: () => ({}) },
    figures: unasked,
  });
