import { healthRoutes } from './routes.ts';
import type { Service } from '../service.ts';

/** Health and readiness of the process. */
export const healthService: Service = {
  name: 'health',
  group: 'every',
  routes: ({ version, clock, missing }) => healthRoutes({ version, clock, missing }),
  scopes: [],
  problems: {},
  schemas: {},
};
