import type { Route } from '../../http/route.ts';
import { policyProblems } from '../../problems/policies.ts';
import type { Service, ServiceParts } from '../service.ts';
import { approveRoute } from './approve-route.ts';
import { auditLog } from './audit-log.ts';
import { coverageRoute } from './coverage-route.ts';
import { createPolicyRoute } from './create-route.ts';
import { decisionRoutes } from './decision-routes.ts';
import { evaluateRoute } from './evaluate-route.ts';
import { explainRoute } from './explain-route.ts';
import { policyListRoute } from './list-route.ts';
import { policyObjectRoutes } from './object-routes.ts';
import { promoteRoute } from './promote-route.ts';
import { replayRoutes } from './replay-routes.ts';
import { rollbackRoute } from './rollback-route.ts';
import { schemaRoute } from './schema-route.ts';
import { SimulationRate } from './simulation-rate.ts';
import { startReplayRoute } from './start-replay-route.ts';
import { validateRoute } from './validate-route.ts';
import { versionRoutes } from './version-routes.ts';

function routes({ runtime, clock, ledger, policyObjects, replays, drafts }: ServiceParts): readonly Route[] {
  const { policies, settings, catalog, random } = runtime;
  const logger = auditLog(runtime.logger);
  const rate = new SimulationRate(clock);
  const writes = new SimulationRate(clock, 'write policies or read their coverage');
  const { platformNamespace } = settings;
  const parts = { drafts, rate: writes, objects: policyObjects, ledger, clock, logger, policies, platformNamespace };
  return [
    schemaRoute(),
    validateRoute({ drafts, clock, logger, rate, policies, platformNamespace }),
    evaluateRoute({ runtime, rate, drafts }),
    ...decisionRoutes({ ledger, catalog }),
    explainRoute({ ledger, catalog, logger, rate, policies }),
    policyListRoute(parts),
    createPolicyRoute(parts),
    ...policyObjectRoutes(parts),
    ...versionRoutes(parts),
    rollbackRoute(parts),
    promoteRoute(parts),
    coverageRoute({ ledger, clock, rate: writes, policies }),
    approveRoute({ ledger, clock, random, logger }),
    startReplayRoute({ drafts, ledger, clock, logger, rate, policies, replays }),
    ...replayRoutes({ ledger, catalog, logger, replays }),
  ];
}

/** Policies: their language, simulation, objects and decisions. */
export const policyService: Service = {
  name: 'policy',
  group: 'policy',
  routes,
  scopes: ['policies:read', 'policies:write', 'policies:simulate', 'policies:approve', 'decisions:read'],
  problems: policyProblems,
  schemas: {},
};
