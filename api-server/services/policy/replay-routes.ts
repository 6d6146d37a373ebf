import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { Ledger, StoredReplay } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { cursorParameter, isCursor } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import type { Replays } from '../../replays/replays.ts';
import { changeListSchema, replayListSchema, replaySchema } from './replay-schemas.ts';

export interface ReplayParts {
  readonly ledger: Pick<Ledger, 'replay' | 'replays' | 'replayChanges'>;
  readonly catalog: Pick<Catalog, 'orbiset'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly replays: Pick<Replays, 'cancel'>;
}

const PRIVATE = { 'cache-control': 'private, no-cache' };
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const REPLAY_ID = /^rpl_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const replayParameter: Parameter = {
  name: 'replay_id',
  in: 'path',
  description: 'As in the answer to POST /policies/replay, or in the list of replays.',
  schema: shapes.replayId,
};
const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Items on a page; default ${DEFAULT_LIMIT}.`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
  },
  cursorParameter(),
  namespaceParameter,
];

interface Page {
  readonly limit: number;
  readonly cursor: string | undefined;
}

function pageIn(request: RouteRequest): Step<Page> {
  const reader = new QueryReader(
    request.query,
    pageParameters.map(({ name }) => name),
  );
  const page = reader.result({
    limit: reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    cursor: reader.text('cursor', isCursor, 'a next_cursor as it was given'),
  });
  return page.ok ? page : refuse(problem(request, 'invalid-parameter', { errors: page.errors }));
}

function foreignCursor(request: RouteRequest): Reply {
  const detail = 'Give a next_cursor of an earlier page, unchanged.';
  return problem(request, 'invalid-parameter', { errors: [{ parameter: 'cursor', code: 'cursor-unknown', detail }] });
}

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const summaryJson = (replay: Omit<StoredReplay, 'request' | 'result' | 'jws'>): JsonObject => ({
  replay_id: replay.replayId,
  status: replay.status,
  policy: `${replay.namespace}/${replay.name}`,
  policy_digest: replay.policyDigest,
  started_at: time(replay.startedAt),
  ended_at: time(replay.endedAt),
});

/** An object that this program stored as text. */
function stored(text: string | null): JsonObject {
  const value: unknown = text === null ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

const replayJson = (replay: StoredReplay): JsonObject => ({
  ...summaryJson(replay),
  ...stored(replay.request),
  ...stored(replay.result),
  ...(replay.jws === null ? {} : { jws: replay.jws }),
});

/** The replay in the path, of the tenant of the request; another tenant's looks like one that does not exist. */
async function findReplay(request: RouteRequest, ledger: Pick<Ledger, 'replay'>): Promise<Step<StoredReplay>> {
  const choice = tenantFor(request, 'replay-not-found');
  if (!choice.ok) return choice;
  const { replay_id: id = '' } = request.params;
  const found = REPLAY_ID.test(id) ? await ledger.replay(choice.tenant, id) : undefined;
  return found === undefined ? refuse(problem(request, 'replay-not-found')) : { ok: true, value: found };
}

function listRoute({ ledger }: ReplayParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const page = pageIn(request);
    if (!page.ok) return page.reply;
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const { limit, cursor } = page.value;
    try {
      const found = await ledger.replays(choice.tenant, { limit, ...(cursor === undefined ? {} : { cursor }) });
      return json({ items: found.items.map(summaryJson), next_cursor: found.nextCursor }, PRIVATE);
    } catch (error) {
      if (error instanceof RangeError && cursor !== undefined) return foreignCursor(request);
      throw error;
    }
  };
  return {
    method: 'get',
    path: '/replays',
    scope: 'policies:simulate',
    handle,
    operation: {
      operationId: 'listReplays',
      summary: 'Replays of the tenant, newest first',
      tags: ['policies'],
      parameters: pageParameters,
      responses: {
        '200': { description: 'One page.', content: { 'application/json': { schema: replayListSchema } } },
      },
      problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

const readRoute = ({ ledger }: ReplayParts): Route => ({
  method: 'get',
  path: '/replays/{replay_id}',
  scope: 'policies:simulate',
  handle: async (request) => {
    const found = await findReplay(request, ledger);
    return found.ok ? json(replayJson(found.value), PRIVATE) : found.reply;
  },
  operation: {
    operationId: 'getReplay',
    summary: 'How far a replay is, or its result',
    tags: ['policies'],
    parameters: [replayParameter, namespaceParameter],
    responses: {
      '200': { description: 'The replay.', content: { 'application/json': { schema: replaySchema } } },
    },
    problems: ['replay-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

function cancelRoute({ ledger, logger, replays }: ReplayParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const found = await findReplay(request, ledger);
    if (!found.ok) return found.reply;
    const { replayId, tenant } = found.value;
    await replays.cancel(replayId);
    logger.info('a replay is cancelled', { caller: request.caller?.id, tenant, replay_id: replayId });
    const after = await findReplay(request, ledger);
    return after.ok ? json(replayJson(after.value), PRIVATE) : after.reply;
  };
  return {
    method: 'delete',
    path: '/replays/{replay_id}',
    scope: 'policies:simulate',
    handle,
    operation: {
      operationId: 'cancelReplay',
      summary: 'Cancels a replay that runs',
      description: 'A replay that has ended stays as it is. What was found so far stays readable.',
      tags: ['policies'],
      parameters: [replayParameter, namespaceParameter],
      responses: {
        '200': { description: 'The replay, ended.', content: { 'application/json': { schema: replaySchema } } },
      },
      problems: ['replay-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

const POSITION = /^(?:0|[1-9]\d{0,8})$/;

/** A change as it is shown: no known form of a secret of its Orbiset stays in it. */
function changeJson(text: string, catalog: ReplayParts['catalog']): JsonValue {
  const change = stored(text);
  const { orbiset } = change;
  const [namespace = '', name = ''] = typeof orbiset === 'string' ? orbiset.split('.') : [];
  return catalog.orbiset(namespace, name)?.redactor.json(change).value ?? change;
}

function changesRoute({ ledger, catalog }: ReplayParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const page = pageIn(request);
    if (!page.ok) return page.reply;
    const { limit, cursor = '0' } = page.value;
    if (!POSITION.test(cursor)) return foreignCursor(request);
    const found = await findReplay(request, ledger);
    if (!found.ok) return found.reply;
    const { tenant, replayId } = found.value;
    const changes = await ledger.replayChanges(tenant, replayId, { from: Number(cursor), limit });
    const last = changes.at(-1);
    const next = last === undefined || changes.length < limit ? null : String(last.position + 1);
    return json({ items: changes.map(({ json: text }) => changeJson(text, catalog)), next_cursor: next }, PRIVATE);
  };
  return {
    method: 'get',
    path: '/replays/{replay_id}/changes',
    scope: 'policies:simulate',
    handle,
    operation: {
      operationId: 'listReplayChanges',
      summary: 'Runs that a replay decides otherwise, in the order of their receipts',
      tags: ['policies'],
      parameters: [replayParameter, ...pageParameters],
      responses: {
        '200': { description: 'One page.', content: { 'application/json': { schema: changeListSchema } } },
      },
      problems: ['invalid-parameter', 'replay-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

/** `/replays` and what is below (policy.md §6). */
export const replayRoutes = (parts: ReplayParts): readonly Route[] => [
  listRoute(parts),
  readRoute(parts),
  cancelRoute(parts),
  changesRoute(parts),
];
