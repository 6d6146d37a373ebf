import type { Service } from '../service.ts';
import { profileRoute } from './profile-route.ts';

/** Scores, tiers and certificates of published Orbs. */
export const reputationService: Service = {
  name: 'reputation',
  routes: ({ ledger, reputation }) => [profileRoute({ ledger, listings: reputation.listings })],
  scopes: ['reputation:read'],
  problems: {},
  schemas: {},
};
