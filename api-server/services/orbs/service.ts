import type { Service } from '../service.ts';
import { orbListRoute } from './list-route.ts';
import { orbSchemas } from './schemas.ts';
import { orbRoute } from './show-route.ts';

/** The Orbs that a tenant can run. */
export const orbService: Service = {
  name: 'orbs',
  group: 'runtime',
  routes: ({ runtime }) => [orbListRoute(runtime), orbRoute(runtime)],
  scopes: ['orbs:execute'],
  problems: {},
  schemas: orbSchemas,
};
