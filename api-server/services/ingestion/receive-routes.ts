import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { readDelivery } from '../../ingestion/intake-body.ts';
import { receive, type ReceiveParts } from '../../ingestion/receive.ts';
import { wrongMethod } from '../../ingestion/refusals.ts';
import type { SignalSource } from '../../ingestion/source.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { deliveryOperation, probeOperation, queryOperation, type Place } from './receive-operations.ts';

const PATHS: Readonly<Record<Place, string>> = { plain: '/ingest/{source_id}', token: '/ingest/{source_id}/{token}' };

/** The methods of a path, as `Allow` lists them. */
const methodsOf = (source: SignalSource | undefined): string =>
  source?.type === 'grafana' ? 'HEAD, POST, PUT' : 'HEAD, POST';

const takesQuery = (source: SignalSource | undefined): boolean =>
  source?.type === 'uptimerobot' && source.limits.allowGet;

/** Whether the source has this path: a token belongs into the path of those alone that verify by it. */
const hasPath = ({ scheme }: SignalSource, place: Place): boolean =>
  (scheme.kind === 'urlToken') === (place === 'token');

/** The fields of a query as the JSON object that a body would be: a source has one parser, whatever the method. */
function readQuery(request: RouteRequest, source: SignalSource | undefined): Promise<Step<Uint8Array>> {
  const bytes = encodeUtf8(JSON.stringify(Object.fromEntries(request.query)));
  const isTooLarge = source !== undefined && bytes.length > source.limits.bodyBytes;
  return Promise.resolve(isTooLarge ? refuse(problem(request, 'body-too-large')) : { ok: true, value: bytes });
}

/** The source of a request; a reply when it takes nothing in this way. */
function sourceOf(parts: ReceiveParts, request: RouteRequest, place: Place): SignalSource | Reply | undefined {
  const source = parts.sources.byId(request.params['source_id'] ?? '');
  if (source === undefined || !hasPath(source, place)) return undefined;
  if (source.mode !== 'Disabled') return source;
  // Standard Webhooks: 410 ends the subscription. Other vendors learn nothing.
  return source.type === 'standardWebhooks' ? problem(request, 'source-disabled') : undefined;
}

const isReply = (found: SignalSource | Reply | undefined): found is Reply => found !== undefined && 'body' in found;

/** Answers one request, counted whatever comes of it. */
function deliver(
  parts: ReceiveParts,
  place: Place,
  {
    takes,
    readBytes,
  }: {
    readonly takes: (source: SignalSource | undefined) => boolean;
    readonly readBytes: typeof readDelivery;
  },
): Route['handle'] {
  const refused = (reply: Reply, type?: SignalSource['type']): Promise<Reply> => {
    parts.intake.metrics.answered(type, reply.status);
    return Promise.resolve(reply);
  };
  return (request) => {
    const source = sourceOf(parts, request, place);
    if (isReply(source)) return refused(source, 'standardWebhooks');
    if (!takes(source)) return refused(wrongMethod(request, methodsOf(source)), source?.type);
    return receive(parts, { request, source, pathToken: request.params['token'], readBytes });
  };
}

const OK: Reply = { status: 200, headers: {}, body: '' };

const routesAt = (parts: ReceiveParts, place: Place): readonly Route[] => [
  {
    method: 'post',
    path: PATHS[place],
    scope: 'source',
    accepts: 'bytes',
    handle: deliver(parts, place, { takes: () => true, readBytes: readDelivery }),
    operation: deliveryOperation('post', place),
  },
  {
    method: 'get',
    path: PATHS[place],
    scope: 'source',
    handle: deliver(parts, place, { takes: takesQuery, readBytes: readQuery }),
    operation: queryOperation(place),
  },
  {
    method: 'head',
    path: PATHS[place],
    scope: 'public',
    handle: () => Promise.resolve(OK),
    operation: probeOperation(place),
  },
];

/** The routes that vendors call (ingestion.md §6). */
export const receiveRoutes = (parts: ReceiveParts): readonly Route[] => [
  ...routesAt(parts, 'plain'),
  {
    method: 'put',
    path: PATHS.plain,
    scope: 'source',
    accepts: 'bytes',
    handle: deliver(parts, 'plain', {
      takes: (source) => source === undefined || source.type === 'grafana',
      readBytes: readDelivery,
    }),
    operation: deliveryOperation('put', 'plain'),
  },
  ...routesAt(parts, 'token'),
];
