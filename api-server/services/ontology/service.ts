import type { Service } from '../service.ts';
import { ontologyRoute } from './ontology-route.ts';

/** The Orb ontology. */
export const ontologyService: Service = {
  name: 'ontology',
  group: 'reputation',
  routes: () => [ontologyRoute()],
  scopes: [],
  problems: {},
  schemas: {},
};
