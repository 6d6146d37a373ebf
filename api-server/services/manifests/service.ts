import { manifestProblems } from '../../problems/manifests.ts';
import { manifestRoute } from './manifest-route.ts';
import type { Service } from '../service.ts';

/** Manifests by their digest. */
export const manifestService: Service = {
  name: 'manifests',
  group: 'runtime',
  routes: ({ ledger }) => [manifestRoute(ledger)],
  scopes: ['receipts:read'],
  problems: manifestProblems,
  schemas: {},
};
