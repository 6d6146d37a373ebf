import type { IncidentWithUpdates, Ledger, StoredIncident } from '../../../adapters/ledger/port.ts';
import { INCIDENT_STATUSES, type IncidentUpdate } from '../../../core/ingestion/incidents/incident.ts';
import { incidentView } from '../../../core/ingestion/incidents/incident-view.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { isOrbIdText, present, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { answerPage, pageParameters, PRIVATE } from './paging.ts';
import { parsedObject } from './parsed-object.ts';
import { ids, incident as schema, listOf } from './view-schemas.ts';

export interface IncidentParts {
  readonly ledger: Pick<Ledger, 'incident' | 'incidents'>;
}

const isStatus = (text: string): text is (typeof INCIDENT_STATUSES)[number] =>
  INCIDENT_STATUSES.some((status) => status === text);
const isHost = (text: string): text is string => /^[a-z0-9.:_-]{1,253}$/.test(text);

/** The incident in a path with its tenant. */
export const incidentParameters: readonly Parameter[] = [
  { name: 'incident_id', in: 'path', description: 'Id.', schema: ids.incident },
  namespaceParameter,
];

function updateOf({ at, by, json: stored }: IncidentWithUpdates['updates'][number]): IncidentUpdate {
  const { text } = parsedObject(stored);
  return { at, by, text: typeof text === 'string' ? text : '' };
}

/** An incident of the ledger as it is shown, with its history. */
export const storedView = ({ json: stored, logIndex, updates }: IncidentWithUpdates): JsonObject =>
  incidentView(readIncident(stored), logIndex, updates.map(updateOf));

/** An incident that waits to open is not shown. */
const listedView = ({ json: stored, logIndex, status }: StoredIncident): JsonObject | undefined =>
  status === 'pending' ? undefined : incidentView(readIncident(stored), logIndex);

/** The incident of a path; one of another tenant looks like one that does not exist. @throws LedgerError */
export async function findIncident(
  request: RouteRequest,
  ledger: Pick<Ledger, 'incident'>,
): Promise<Step<IncidentWithUpdates>> {
  const choice = tenantFor(request, 'incident-not-found');
  if (!choice.ok) return choice;
  const found = await ledger.incident(choice.tenant, request.params['incident_id'] ?? '');
  return found === undefined || found.status === 'pending'
    ? refuse(problem(request, 'incident-not-found'))
    : { ok: true, value: found };
}

const parameters: readonly Parameter[] = [
  queryParameter('status', 'With this status.', { type: 'string', enum: INCIDENT_STATUSES }),
  queryParameter('orb_id', 'About this Orb.', shapes.orbId),
  queryParameter('provider', 'At this host of a provider.', { type: 'string', maxLength: 253 }),
  queryParameter('since', 'Opened at this time or later (UTC).', { type: 'string' }),
];

const listRoute = ({ ledger }: IncidentParts): Route => ({
  method: 'get',
  path: '/incidents',
  scope: 'ingest:read',
  handle: (request) =>
    answerPage(request, {
      parameters,
      filters: (reader) =>
        present({
          status: reader.text('status', isStatus, INCIDENT_STATUSES.join(', ')),
          orbId: reader.text('orb_id', isOrbIdText, '{org}.{name}@{semver}'),
          provider: reader.text('provider', isHost, 'a host name'),
          since: reader.time('since'),
        }),
      read: ledger.incidents,
      view: listedView,
    }),
  operation: {
    operationId: 'listIncidents',
    summary: 'Problems of the tenant’s Orbs and of their providers, the last opened first',
    tags: ['ingestion'],
    parameters: [...parameters, ...pageParameters],
    responses: { '200': { description: 'One page.', content: { 'application/json': { schema: listOf(schema) } } } },
    problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

const readRoute = ({ ledger }: IncidentParts): Route => ({
  method: 'get',
  path: '/incidents/{incident_id}',
  scope: 'ingest:read',
  handle: async (request) => {
    const found = await findIncident(request, ledger);
    return found.ok ? json(storedView(found.value), PRIVATE) : found.reply;
  },
  operation: {
    operationId: 'getIncident',
    summary: 'One incident with its history',
    tags: ['ingestion'],
    parameters: incidentParameters,
    responses: { '200': { description: 'The incident.', content: { 'application/json': { schema } } } },
    problems: ['incident-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

/** `GET /incidents` and `GET /incidents/{incident_id}` (docs/design/ingestion.md §6). */
export const incidentRoutes = (parts: IncidentParts): readonly Route[] => [listRoute(parts), readRoute(parts)];
