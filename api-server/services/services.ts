import type { JsonSchema } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { executeService } from './execute/service.ts';
import { healthService } from './health/service.ts';
import { logService } from './log/service.ts';
import { manifestService } from './manifests/service.ts';
import { ontologyService } from './ontology/service.ts';
import { marketplaceService } from './marketplace/service.ts';
import { policyService } from './policy/service.ts';
import { reputationService } from './reputation/service.ts';
import { providerService } from './providers/service.ts';
import { receiptService } from './receipts/service.ts';
import type { Service, ServiceParts } from './service.ts';

/** Every service of the API, in the order of the OpenAPI document. */
export const SERVICES: readonly Service[] = [
  healthService,
  logService,
  receiptService,
  manifestService,
  ontologyService,
  executeService,
  providerService,
  reputationService,
  marketplaceService,
  policyService,
];

/** The routes of all services. */
export const serviceRoutes = (parts: ServiceParts): readonly Route[] => SERVICES.flatMap(({ routes }) => routes(parts));

/** Named schemas of all services. */
export const serviceSchemas = (): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(SERVICES.flatMap(({ schemas }) => Object.entries(schemas)));
