import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { codePointLength } from '../../../core/json-schema/values.ts';
import type { OrbId } from '../../../core/manifest/orb-id.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { cursorParameter, foreignCursor, isCursor, isOrbIdText, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader, type Query } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { visibleIds } from '../../orbs/visible-orbs.ts';
import { orbView, sourcesFor, type OrbViewer } from './orb-view.ts';
import { viewerFor } from './viewer.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_TEXT = 100;
/** A view costs up to 0.1 ms for each Orbiset: other work gets a turn in between. */
const VIEWS_AT_ONCE = 10;

const parameters: readonly Parameter[] = [
  queryParameter('limit', `Orbs on a page; default ${DEFAULT_LIMIT}.`, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
  }),
  cursorParameter(),
  queryParameter('q', 'Part of id or description, in any case.', { type: 'string', minLength: 1, maxLength: MAX_TEXT }),
  namespaceParameter,
];

interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly text: string | undefined;
}

const isText = (text: string): text is string => text.length > 0 && codePointLength(text) <= MAX_TEXT;

function queryOf(request: RouteRequest): Query<ListQuery> {
  const reader = new QueryReader(
    request.query,
    parameters.map(({ name }) => name),
  );
  return reader.result({
    limit: reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    cursor: reader.text('cursor', isCursor, 'a next_cursor as it was given'),
    text: reader.text('q', isText, `a text of 1 to ${MAX_TEXT} characters`),
  });
}

/** Ids that a text is a part of, or of whose description it is. */
function matching(ids: ReadonlySet<OrbId>, text: string, { runtime, tenant }: OrbViewer): readonly OrbId[] {
  const wanted = text.toLowerCase();
  const descriptions = new Map<OrbId, string>();
  for (const { namespace, orbId, compiled } of runtime.catalog.all())
    if (ids.has(orbId) && (namespace === tenant || !descriptions.has(orbId)))
      descriptions.set(orbId, compiled?.manifest.description ?? '');
  return [...ids].filter((id) => `${id}\n${descriptions.get(id) ?? ''}`.toLowerCase().includes(wanted));
}

/** A page of ids, in the order of their text. The cursor is the last id of the page before. */
function pageOf(
  ids: readonly OrbId[],
  { limit, cursor }: ListQuery,
): { readonly page: readonly OrbId[]; next: string | null } {
  const after = (cursor === undefined ? [...ids] : ids.filter((id) => id > cursor)).toSorted();
  const page = after.slice(0, limit);
  return { page, next: after.length > limit ? (page.at(-1) ?? null) : null };
}

async function viewsOf(page: readonly OrbId[], viewer: OrbViewer): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  for (const orbId of page) {
    if (items.length % VIEWS_AT_ONCE === VIEWS_AT_ONCE - 1) await nextTurn();
    const view = orbView(viewer, orbId);
    if (view !== undefined) items.push(view);
  }
  return items;
}

/** `GET /orbs`: the Orbs that a run of the tenant can name, by id. */
export function orbListRoute(runtime: OrbViewer['runtime']): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const query = queryOf(request);
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const { cursor, text } = query.value;
    if (cursor !== undefined && !isOrbIdText(cursor)) return foreignCursor(request);
    const viewer = viewerFor(runtime, choice.tenant);
    const ids = visibleIds(sourcesFor(runtime), {
      namespace: choice.tenant,
      orbisets: viewer.orbisets,
      limitedTo: request.caller?.orbs,
    });
    const { page, next } = pageOf(text === undefined ? [...ids] : matching(ids, text, viewer), query.value);
    return json({ items: await viewsOf(page, viewer), next_cursor: next }, { 'cache-control': 'private, no-cache' });
  };
  return {
    method: 'get',
    path: '/orbs',
    scope: 'orbs:execute',
    handle,
    operation: {
      operationId: 'listRunnableOrbs',
      summary: 'Orbs that the tenant can run',
      description:
        'The tenant’s own Orbs, and those of others that its Orbisets list: what they take and give, and whether a run may start.',
      tags: ['runtime'],
      parameters,
      responses: { '200': { description: 'One page.', content: { 'application/json': { schema: ref('OrbList') } } } },
      problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous'],
    },
  };
}
