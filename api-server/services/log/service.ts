import { logProblems } from '../../problems/log.ts';
import { keyRoutes } from './key-routes.ts';
import { logRoutes } from './log-routes.ts';
import { retractionRoute } from './retraction-route.ts';
import { tileRoutes } from './tile-routes.ts';
import type { Service } from '../service.ts';

/** The transparency log and the keys that sign it. */
export const logService: Service = {
  name: 'log',
  group: 'runtime',
  routes: ({ keys, clock, ledger, reputation }) => [
    ...keyRoutes({ ...keys, clock }),
    ...logRoutes(ledger),
    ...tileRoutes(ledger),
    retractionRoute(reputation),
  ],
  scopes: ['admin'],
  problems: logProblems,
  schemas: {},
};
