import type { ServiceGroup } from '../../adapters/process/shared-flags.ts';
import type { JsonSchema } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { executeService } from './execute/service.ts';
import { ingestionService } from './ingestion/service.ts';
import { healthService } from './health/service.ts';
import { logService } from './log/service.ts';
import { manifestService } from './manifests/service.ts';
import { orbService } from './orbs/service.ts';
import { ontologyService } from './ontology/service.ts';
import { marketplaceService } from './marketplace/service.ts';
import { policyService } from './policy/service.ts';
import { reputationService } from './reputation/service.ts';
import { providerService } from './providers/service.ts';
import { receiptService } from './receipts/service.ts';
import { statusService } from './status/service.ts';
import type { Service, ServiceParts } from './service.ts';

/** Every service of the API, in the order of the OpenAPI document. */
export const SERVICES: readonly Service[] = [
  healthService,
  logService,
  receiptService,
  manifestService,
  ontologyService,
  orbService,
  executeService,
  providerService,
  reputationService,
  marketplaceService,
  policyService,
  statusService,
  ingestionService,
];

/** The folders that belong to these services, and those that every process has. */
export const servicesOf = (groups: readonly ServiceGroup[]): readonly Service[] =>
  SERVICES.filter(({ group }) => group === 'every' || groups.includes(group));

/** The routes of some services; of all, unless they are named. */
export const serviceRoutes = (parts: ServiceParts, services: readonly Service[] = SERVICES): readonly Route[] =>
  services.flatMap(({ routes }) => routes(parts));

/** Named schemas of some services; of all, unless they are named. */
export const serviceSchemas = (services: readonly Service[] = SERVICES): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(services.flatMap(({ schemas }) => Object.entries(schemas)));
