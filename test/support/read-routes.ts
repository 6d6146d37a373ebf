import { healthRoutes } from '../../api-server/health/routes.ts';
import type { Route } from '../../api-server/http/route.ts';
import { keyRoutes } from '../../api-server/log/key-routes.ts';
import { logRoutes } from '../../api-server/log/log-routes.ts';
import { manifestRoute } from '../../api-server/manifests/manifest-route.ts';
import { receiptListRoute } from '../../api-server/receipts/list-route.ts';
import { receiptRoutes } from '../../api-server/receipts/receipt-routes.ts';
import { vectorKeys } from './vector-receipts.ts';

const unasked = (): Promise<never> => Promise.reject(new Error('only the descriptions of the routes are looked at'));

/** Every read route of the API, for tests of what routes say of themselves. */
export function readRoutes(): readonly Route[] {
  const clock = { now: () => 0, monotonic: () => 0 };
  const { keysJws } = vectorKeys;
  const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };
  const ledger = { receipt: unasked, checkpointCovering: unasked, inclusionProof: unasked, identity };
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
