import { marketplaceProblems } from '../../problems/marketplace.ts';
import type { Service } from '../service.ts';
import { listRoute, publicListRoute } from './list-routes.ts';
import { publishRoute } from './publish-route.ts';
import { marketplaceSchemas } from './schemas.ts';
import { statusRoute } from './status-route.ts';
import { testResultRoute } from './test-result-route.ts';
import { orgRoutes } from './org-routes.ts';

/** Published Orbs: lists, publishing, their status and their organisations. */
export const marketplaceService: Service = {
  name: 'marketplace',
  group: 'reputation',
  routes: ({ reputation, ledger, clock }) => [
    listRoute(reputation.listings),
    publicListRoute(reputation.listings, clock),
    publishRoute(reputation),
    statusRoute(reputation),
    testResultRoute({ ledger, listings: reputation.listings }),
    ...orgRoutes(reputation),
  ],
  scopes: ['marketplace:read', 'marketplace:publish', 'admin'],
  problems: marketplaceProblems,
  schemas: marketplaceSchemas,
};
