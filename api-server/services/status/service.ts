import { statusProblems } from '../../problems/status.ts';
import type { Service } from '../service.ts';
import { maintenanceRoutes } from './maintenance-routes.ts';
import { publicRoutes } from './public-routes.ts';
import { roundRoutes } from './round-routes.ts';
import { statusSchemas } from './status-schemas.ts';

/** What works of the platform, for everybody, and what a prober tells. */
export const statusService: Service = {
  name: 'status',
  group: 'status',
  routes: ({ status, reputation: { platformNamespace }, clock }) => [
    ...publicRoutes(status.pages),
    ...roundRoutes({ status, platformNamespace }),
    ...maintenanceRoutes({ status, platformNamespace, clock }),
  ],
  scopes: ['status:report', 'admin'],
  problems: statusProblems,
  schemas: statusSchemas,
};
