import { reputationProblems } from '../../problems/reputation.ts';
import type { Service } from '../service.ts';
import { badgeRoute } from './badge-route.ts';
import { certificateRoute } from './certificate-route.ts';
import { profileRoute } from './profile-route.ts';
import { keptProofs } from './proofs.ts';
import { wellKnownRoutes } from './well-known-routes.ts';

/** Scores, tiers, certificates and badges of published Orbs. */
export const reputationService: Service = {
  name: 'reputation',
  group: 'reputation',
  routes: ({ reputation, clock, ledger, keys }) => [
    profileRoute({ ledger: reputation.stored, listings: reputation.listings }),
    certificateRoute({ reader: reputation.reader, proofs: keptProofs(ledger), keys, clock }),
    badgeRoute(reputation.reader, clock),
    ...wellKnownRoutes(reputation.reader, keys.document.issuer),
  ],
  scopes: ['reputation:read'],
  problems: reputationProblems,
  schemas: {},
};
