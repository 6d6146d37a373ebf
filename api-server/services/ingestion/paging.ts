import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { cursorParameter, foreignCursor, isCursor, pageAt, present, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader, type Query } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { isLabelName } from '../../../core/reconcile/kube-name.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
export const PRIVATE = { 'cache-control': 'private, no-cache' };

/** Parameters of every list here. */
export const pageParameters: readonly Parameter[] = [
  queryParameter('limit', `Items on a page; default ${DEFAULT_LIMIT}. A page may hold fewer though more follow.`, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
  }),
  cursorParameter(),
  namespaceParameter,
];

export const sourceParameter = queryParameter('source', 'Of this source: namespace/name.', {
  type: 'string',
  maxLength: 127,
});

/** Name of a source with its namespace. */
export const isSourceName = (given: string): given is string => {
  const parts = given.split('/');
  return parts.length === 2 && parts.every(isLabelName);
};

/** What a list asks the ledger for: its filters, and the place of the page. */
type Asked<Filters> = Filters & { readonly limit: number; readonly cursor?: string };

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export interface ListOptions<Filters extends object, Item> {
  /** Its own parameters, without those of the page. */
  readonly parameters: readonly Parameter[];
  readonly filters: (reader: QueryReader) => Filters;
  readonly read: (tenant: string, query: Asked<Filters>) => Promise<Page<Item>>;
  /** Undefined: the item is not shown. */
  readonly view: (item: Item) => JsonObject | undefined;
}

function queryOf<Filters extends object, Item>(
  request: RouteRequest,
  { parameters, filters }: ListOptions<Filters, Item>,
): Query<Asked<Filters>> {
  const known = [...parameters, ...pageParameters].map(({ name }) => name);
  const reader = new QueryReader(request.query, known);
  const limit = reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const cursor = reader.text('cursor', isCursor, 'a next_cursor as it was given');
  return reader.result({ ...filters(reader), limit, ...present({ cursor }) });
}

/** Answers one page of what belongs to the caller's tenant. */
export async function answerPage<Filters extends object, Item>(
  request: RouteRequest,
  options: ListOptions<Filters, Item>,
): Promise<Reply> {
  const query = queryOf(request, options);
  if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
  const choice = tenantFor(request, 'namespace-not-found');
  if (!choice.ok) return choice.reply;
  const page = await pageAt(query.value, (asked) => options.read(choice.tenant, asked));
  if (page === undefined) return foreignCursor(request);
  const items = page.items.flatMap((item) => options.view(item) ?? []);
  return json({ items, next_cursor: page.nextCursor }, PRIVATE);
}
