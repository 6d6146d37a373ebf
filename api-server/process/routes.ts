import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { healthRoutes } from '../health/routes.ts';
import { openapiRoute } from '../http/openapi-route.ts';
import type { Route } from '../http/route.ts';
import type { Answered } from '../http/server.ts';
import { keyRoutes } from '../log/key-routes.ts';
import { logRoutes } from '../log/log-routes.ts';
import { manifestRoute } from '../manifests/manifest-route.ts';
import type { FiguresSource, PinStore } from '../providers/port.ts';
import { providerRoutes } from '../providers/provider-routes.ts';
import { receiptListRoute } from '../receipts/list-route.ts';
import { receiptRoutes } from '../receipts/receipt-routes.ts';
import { createReceiptVerifier } from '../receipts/verify-stored.ts';
import { executeRoute } from '../runtime/execute.ts';
import type { Platform } from './platform.ts';
import { EX_CONFIG, StartError } from './start-error.ts';

/** What the routes need beside the platform; it differs between standalone and a cluster. */
export interface RouteParts {
  /** What keeps the process from being ready; empty = ready. */
  readonly missing: () => readonly string[];
  readonly pins: PinStore;
  readonly figures: FiguresSource;
}

/** Every route of the API, with its OpenAPI document. @throws StartError the keys don't fit together */
export async function routesOf(
  { keys, ledger, clock, runtime, version }: Platform,
  { missing, pins, figures }: RouteParts,
): Promise<readonly Route[]> {
  const primitives = { sha256, ed25519Verify, now: clock.now };
  const opened = await openKeys(keys.keysJws, keys.root, primitives);
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  const verifier = createReceiptVerifier(opened.document, primitives);
  const all = (): readonly string[] => [...missing(), ...(runtime.selfCheck.failed ? ['self-check'] : [])];
  const routes = [
    ...healthRoutes({ version, clock, missing: all }),
    ...keyRoutes({ keysJws: keys.keysJws, document: opened.document, clock }),
    ...logRoutes(ledger),
    ...receiptRoutes({ ledger, verifier, clock, keysJws: keys.keysJws }),
    receiptListRoute(ledger, verifier),
    manifestRoute(ledger),
    executeRoute(runtime),
    ...providerRoutes({ ...runtime, replica: runtime.failover, pins, figures }),
  ];
  return [...routes, openapiRoute(routes, version)];
}

/** Counts and logs one answered request. */
export function observeRequest({ metrics, log }: Platform): (answered: Answered) => void {
  return ({ route, method, status, durationMs, requestId, caller }) => {
    metrics.http(route, status);
    log.logger.debug('request', { route, method, status, duration_ms: durationMs, request_id: requestId, caller });
  };
}
