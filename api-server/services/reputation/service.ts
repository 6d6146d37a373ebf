import type { Route } from '../../http/route.ts';
import { reputationProblems } from '../../problems/reputation.ts';
import type { Service, ServiceParts } from '../service.ts';
import { badgeRoute } from './badge-route.ts';
import { certificateRoute } from './certificate-route.ts';
import { keptProofs } from './proofs.ts';
import type { ReputationReader } from './reader.ts';
import { wellKnownRoutes } from './well-known-routes.ts';

/** Parts of this service. */
export type ReputationParts = Pick<ServiceParts, 'clock' | 'ledger' | 'keys'> & {
  readonly reputation: ReputationReader;
};

/** Certificates and badges of published Orbs. */
export const reputationService = {
  name: 'reputation',
  routes: ({ reputation, clock, ledger, keys }: ReputationParts): readonly Route[] => [
    certificateRoute({ reader: reputation, proofs: keptProofs(ledger), keys, clock }),
    badgeRoute(reputation, clock),
    ...wellKnownRoutes(reputation, keys.document.issuer),
  ],
  scopes: ['reputation:read'],
  problems: reputationProblems,
  schemas: {},
} as const satisfies Omit<Service, 'routes'> & { readonly routes: (parts: ReputationParts) => readonly Route[] };
