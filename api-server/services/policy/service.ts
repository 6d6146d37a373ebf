import type { Route } from '../../http/route.ts';
import { policyProblems } from '../../problems/policies.ts';
import type { Service, ServiceParts } from '../service.ts';
import { schemaRoute } from './schema-route.ts';
import { SimulationRate } from './simulation-rate.ts';
import { validateRoute } from './validate-route.ts';

function routes({ runtime, clock }: ServiceParts): readonly Route[] {
  const { logger, policies, settings } = runtime;
  const rate = new SimulationRate(clock);
  return [
    schemaRoute(),
    validateRoute({ clock, logger, rate, policies, platformNamespace: settings.platformNamespace }),
  ];
}

/** Policies: their language, simulation, objects and decisions. */
export const policyService: Service = {
  name: 'policy',
  routes,
  scopes: ['policies:simulate'],
  problems: policyProblems,
  schemas: {},
};
