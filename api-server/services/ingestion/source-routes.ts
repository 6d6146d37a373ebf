import type { Ledger, SourceCounts } from '../../../adapters/ledger/port.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { isLabelName } from '../../../core/reconcile/kube-name.ts';
import type { SignalSource, SignalSources } from '../../ingestion/source.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { tenantOf } from '../../http/tenant.ts';
import { answerPage, pageParameters, PRIVATE } from './paging.ts';
import { listOf, signalSource as schema } from './view-schemas.ts';

export interface SourceParts {
  readonly sources: SignalSources;
  readonly ledger: Pick<Ledger, 'sourceCounts'>;
}

/** The source in a path. */
export const sourcePathParameters: readonly Parameter[] = [
  { name: 'namespace', in: 'path', description: 'Tenant.', schema: { type: 'string', maxLength: 63 } },
  {
    name: 'name',
    in: 'path',
    description: 'Name of the OrbSignalSource.',
    schema: { type: 'string', maxLength: 63 },
  },
];

/** The source in the path, if it is of a tenant of the caller; a foreign one looks like one that does not exist. */
export function ownSource({ caller, ...request }: RouteRequest, sources: SignalSources): Step<SignalSource> {
  const { namespace = '', name = '' } = request.params;
  const isOwn = caller !== undefined && tenantOf(caller, namespace).kind === 'tenant';
  const source = isOwn ? sources.byName(namespace, name) : undefined;
  return source === undefined ? refuse(problem(request, 'source-not-found')) : { ok: true, value: source };
}

const keyOf = ({ namespace, name }: SignalSource): string => `${namespace}/${name}`;

/** What receives, without anything of its secrets. @param counts undefined: nothing came yet */
function view(source: SignalSource, counts: SourceCounts | undefined): JsonObject {
  const { received = 0, accepted = 0, dead = 0, lastAt = 0 } = counts ?? {};
  return {
    namespace: source.namespace,
    name: source.name,
    type: source.type,
    mode: source.mode,
    url_path: `/ingest/${source.sourceId}`,
    trust: source.trust,
    fingerprint_rule: source.fingerprintRule,
    secrets_readable: source.secrets.kind === 'readable',
    last_event_at: lastAt === 0 ? null : new Date(lastAt).toISOString(),
    counts: { accepted: received, waiting: accepted, dead_letters: dead },
  };
}

interface PageOfSources {
  readonly limit: number;
  /** Name of the last source of the page before. */
  readonly cursor?: string;
}

function pageOf(all: readonly SignalSource[], { limit, cursor }: PageOfSources) {
  if (cursor !== undefined && !isLabelName(cursor)) throw new RangeError('the cursor is no name of a source');
  const rest = all.filter(({ name }) => cursor === undefined || name > cursor);
  const items = rest.slice(0, limit);
  return { items, nextCursor: rest.length > limit ? (items.at(-1)?.name ?? null) : null };
}

const listRoute = ({ sources, ledger }: SourceParts): Route => ({
  method: 'get',
  path: '/signal-sources',
  scope: 'ingest:read',
  handle: async (request) => {
    const rows = new Map((await ledger.sourceCounts()).map((row) => [row.source, row]));
    return answerPage(request, {
      parameters: [],
      filters: () => ({}),
      read: (tenant, query) => Promise.resolve().then(() => pageOf(sources.of(tenant), query)),
      view: (source) => view(source, rows.get(keyOf(source))),
    });
  },
  operation: {
    operationId: 'listSignalSources',
    summary: 'The signal sources of the tenant, by name',
    tags: ['ingestion'],
    parameters: pageParameters,
    responses: { '200': { description: 'One page.', content: { 'application/json': { schema: listOf(schema) } } } },
    problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

const readRoute = ({ sources, ledger }: SourceParts): Route => ({
  method: 'get',
  path: '/signal-sources/{namespace}/{name}',
  scope: 'ingest:read',
  handle: async (request) => {
    const found = ownSource(request, sources);
    if (!found.ok) return found.reply;
    const key = keyOf(found.value);
    const counts = (await ledger.sourceCounts()).find(({ source }) => source === key);
    return json(view(found.value, counts), PRIVATE);
  },
  operation: {
    operationId: 'getSignalSource',
    summary: 'Where a vendor sends to, and what came',
    tags: ['ingestion'],
    parameters: sourcePathParameters,
    responses: { '200': { description: 'The source.', content: { 'application/json': { schema } } } },
    problems: ['source-not-found', 'ledger-unavailable'],
  },
});

/** `GET /signal-sources` and `GET /signal-sources/{namespace}/{name}` (docs/design/ingestion.md §6). */
export const sourceRoutes = (parts: SourceParts): readonly Route[] => [listRoute(parts), readRoute(parts)];
