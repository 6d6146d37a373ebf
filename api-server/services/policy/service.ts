import type { Route } from '../../http/route.ts';
import { policyProblems } from '../../problems/policies.ts';
import type { Service, ServiceParts } from '../service.ts';
import { approveRoute } from './approve-route.ts';
import { decisionRoutes } from './decision-routes.ts';
import { evaluateRoute } from './evaluate-route.ts';
import { explainRoute } from './explain-route.ts';
import { schemaRoute } from './schema-route.ts';
import { SimulationRate } from './simulation-rate.ts';
import { validateRoute } from './validate-route.ts';

function routes({ runtime, clock, ledger }: ServiceParts): readonly Route[] {
  const { logger, policies, settings, catalog, random } = runtime;
  const rate = new SimulationRate(clock);
  return [
    schemaRoute(),
    validateRoute({ clock, logger, rate, policies, platformNamespace: settings.platformNamespace }),
    evaluateRoute(runtime, rate),
    ...decisionRoutes({ ledger, catalog }),
    explainRoute({ ledger, catalog, logger, rate, policies }),
    approveRoute({ ledger, clock, random, logger }),
  ];
}

/** Policies: their language, simulation, objects and decisions. */
export const policyService: Service = {
  name: 'policy',
  routes,
  scopes: ['policies:simulate', 'policies:approve', 'decisions:read'],
  problems: policyProblems,
  schemas: {},
};
