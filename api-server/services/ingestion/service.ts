import type { Route } from '../../http/route.ts';
import { ingestionProblems } from '../../problems/ingestion.ts';
import { KnownOrbs } from '../../ingestion/worker/known-orbs.ts';
import type { Service, ServiceParts } from '../service.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { dryRunRoute } from './dry-run-route.ts';
import { incidentActRoutes } from './incident-acts.ts';
import { incidentRoutes } from './incident-routes.ts';
import { receiveRoutes } from './receive-routes.ts';
import { ingestionSchemas } from './schemas.ts';
import { signalRoutes } from './signal-routes.ts';
import { sourceRoutes } from './source-routes.ts';
import { templateRoute } from './template-route.ts';

function routes({ sources, ledger, clock, runtime, intake }: ServiceParts): readonly Route[] {
  const { random, logger, settings, published } = runtime;
  const orbs = new KnownOrbs({ catalog: runtime.catalog, published, platformNamespace: settings.platformNamespace });
  return [
    ...receiveRoutes({ sources, ledger, clock, random, intake }),
    ...sourceRoutes({ sources, ledger }),
    dryRunRoute({ sources, orbs, clock }),
    ...signalRoutes({ ledger }),
    ...incidentRoutes({ ledger }),
    ...incidentActRoutes({ ledger, clock, logger }),
    ...deadLetterRoutes({ ledger, queue: intake.queue, logger }),
    templateRoute(),
  ];
}

/** Webhooks of vendors, and what came of them. */
export const ingestionService: Service = {
  name: 'ingestion',
  group: 'ingestion',
  routes,
  scopes: ['ingest:read', 'ingest:admin', 'incidents:write'],
  problems: ingestionProblems,
  schemas: ingestionSchemas,
};
