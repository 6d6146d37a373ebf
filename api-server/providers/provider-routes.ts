import type { Route } from '../http/route.ts';
import { pinRoute } from './pin-route.ts';
import { statusRoute } from './status-route.ts';
import { swapRoute, type SwapDeps } from './swap-route.ts';

/** The routes of failover.md §9. */
export const providerRoutes = (deps: SwapDeps): readonly Route[] => [
  swapRoute(deps),
  pinRoute(deps),
  statusRoute(deps),
];
