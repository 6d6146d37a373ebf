import type { Ledger, StoredSignal } from '../../../adapters/ledger/port.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { parsedObject } from './parsed-object.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { isOrbIdText, present, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { answerPage, isSourceName, pageParameters, PRIVATE, sourceParameter } from './paging.ts';
import { ids, listOf, signal } from './view-schemas.ts';

export interface SignalParts {
  readonly ledger: Pick<Ledger, 'signal' | 'signals'>;
}

const STATUSES = ['firing', 'acknowledged', 'resolved', 'suppressed', 'info'] as const;
const isStatus = (text: string): text is (typeof STATUSES)[number] => STATUSES.some((status) => status === text);
const isDelivery = (text: string): text is string => /^dlv_[0-9a-f-]{36}$/.test(text);

const timeText = (ms: number): string => new Date(ms).toISOString();

const view = (stored: StoredSignal): JsonObject => ({
  signal_id: stored.signalId,
  source: stored.source,
  delivery_id: stored.deliveryId,
  at: timeText(stored.at),
  last_seen: timeText(stored.lastSeen),
  repeat_count: stored.repeatCount,
  event: parsedObject(stored.json),
});

const parameters: readonly Parameter[] = [
  sourceParameter,
  queryParameter('orb_id', 'About this Orb.', shapes.orbId),
  queryParameter('delivery_id', 'Of this delivery.', ids.delivery),
  queryParameter('status', 'With this status.', { type: 'string', enum: STATUSES }),
  queryParameter('since', 'Observed at this time or later (UTC).', { type: 'string' }),
];

const listRoute = ({ ledger }: SignalParts): Route => ({
  method: 'get',
  path: '/signals',
  scope: 'ingest:read',
  handle: (request) =>
    answerPage(request, {
      parameters,
      filters: (reader) =>
        present({
          source: reader.text('source', isSourceName, 'namespace/name'),
          orbId: reader.text('orb_id', isOrbIdText, '{org}.{name}@{semver}'),
          deliveryId: reader.text('delivery_id', isDelivery, 'the id of a delivery'),
          status: reader.text('status', isStatus, STATUSES.join(', ')),
          since: reader.time('since'),
        }),
      read: ledger.signals,
      view,
    }),
  operation: {
    operationId: 'listSignals',
    summary: 'What vendors told about the tenant, in one form, newest first',
    tags: ['ingestion'],
    parameters: [...parameters, ...pageParameters],
    responses: { '200': { description: 'One page.', content: { 'application/json': { schema: listOf(signal) } } } },
    problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

async function read(request: RouteRequest, { ledger }: SignalParts): Promise<Reply> {
  const choice = tenantFor(request, 'signal-not-found');
  if (!choice.ok) return choice.reply;
  const found = await ledger.signal(choice.tenant, request.params['signal_id'] ?? '');
  return found === undefined ? problem(request, 'signal-not-found') : json(view(found), PRIVATE);
}

const readRoute = (parts: SignalParts): Route => ({
  method: 'get',
  path: '/signals/{signal_id}',
  scope: 'ingest:read',
  handle: (request) => read(request, parts),
  operation: {
    operationId: 'getSignal',
    summary: 'One signal',
    tags: ['ingestion'],
    parameters: [{ name: 'signal_id', in: 'path', description: 'Id.', schema: ids.signal }, namespaceParameter],
    responses: { '200': { description: 'The signal.', content: { 'application/json': { schema: signal } } } },
    problems: ['signal-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

/** `GET /signals` and `GET /signals/{signal_id}` (docs/design/ingestion.md §6). */
export const signalRoutes = (parts: SignalParts): readonly Route[] => [listRoute(parts), readRoute(parts)];
