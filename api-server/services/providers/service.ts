import type { Route } from '../../http/route.ts';
import { providerProblems } from '../../problems/providers.ts';
import type { Service } from '../service.ts';
import { pinRoute } from './pin-route.ts';
import { statusRoute, type StatusDeps } from './status-route.ts';
import { swapRoute, type SwapDeps } from './swap-route.ts';

/** The routes of failover.md §9. */
export const providerRoutes = (deps: SwapDeps & StatusDeps): readonly Route[] => [
  swapRoute(deps),
  pinRoute(deps),
  statusRoute(deps),
];

/** Status, swap and pin of the providers of an Orb. */
export const providerService: Service = {
  name: 'providers',
  group: 'runtime',
  routes: ({ runtime, pins, lastEvaluation }) =>
    providerRoutes({
      ...runtime,
      replica: runtime.failover,
      replicaName: runtime.settings.owner,
      pins,
      lastEvaluation,
    }),
  scopes: ['providers:read', 'providers:swap'],
  problems: providerProblems,
  schemas: {},
};
