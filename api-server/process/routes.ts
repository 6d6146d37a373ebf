import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { openapiRoute } from '../http/openapi-route.ts';
import type { Route } from '../http/route.ts';
import type { Answered } from '../http/server.ts';
import type { ServiceParts } from '../services/service.ts';
import { serviceRoutes, serviceSchemas } from '../services/services.ts';
import type { Platform } from './platform.ts';

/** Inputs of the routes beside the platform. They differ between standalone and a cluster. */
export type RouteParts = Pick<ServiceParts, 'missing' | 'pins' | 'lastEvaluation'>;

/** Every route of the API, with its OpenAPI document. @throws StartError the keys don't match each other */
export async function routesOf(platform: Platform, parts: RouteParts): Promise<readonly Route[]> {
  const { keys, clock, runtime, version, ledger } = platform;
  const { keysJws } = keys;
  const opened = await openKeys(keysJws, keys.root, { sha256, ed25519Verify });
  if (!opened.ok) throw new StartError(`the keys document does not open with its root: ${opened.code}`, EX_CONFIG);
  const { document } = opened;
  const missing = (): readonly string[] => [...parts.missing(), ...(runtime.selfCheck.failed ? ['self-check'] : [])];
  const routes = serviceRoutes({ ...parts, version, clock, ledger, runtime, keys: { keysJws, document }, missing });
  return [...routes, openapiRoute(routes, { version, schemas: serviceSchemas() })];
}

/** Counts and logs one answered request. */
export function observeRequest({ metrics, log }: Platform): (answered: Answered) => void {
  return ({ route, method, status, durationMs, requestId, caller }) => {
    metrics.http(route, status);
    log.logger.debug('request', { route, method, status, duration_ms: durationMs, request_id: requestId, caller });
  };
}
