import { logProblems } from '../../problems/log.ts';
import { keyRoutes } from './key-routes.ts';
import { logRoutes } from './log-routes.ts';
import { tileRoutes } from './tile-routes.ts';
import type { Service } from '../service.ts';

/** The transparency log and the keys that sign it. */
export const logService: Service = {
  name: 'log',
  routes: ({ keys, clock, ledger }) => [...keyRoutes({ ...keys, clock }), ...logRoutes(ledger), ...tileRoutes(ledger)],
  scopes: [],
  problems: logProblems,
  schemas: {},
};
