import type { Clock } from '../../../adapters/time/clock.ts';
import { selectOrbs } from '../../../core/publication/list-query.ts';
import { problem } from '../../http/problem.ts';
import { conditional, json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import type { Listings } from '../../reputation/listings.ts';
import { listParameters, pageParameters, parseListQuery, parsePublicQuery } from './list-query.ts';
import { listItem, listPage, publicItem, type ListPage } from './list-view.ts';
import { PublicLists, type PublicList } from './public-list.ts';
import { listSchema, publicListSchema } from './schemas.ts';

const LIST = '/marketplace/orbs';
const PUBLIC_LIST = '/marketplace/orbs/public';

const linkTo = ({ next }: ListPage): Readonly<Record<string, string>> =>
  next === null ? {} : { link: `<${next}>; rel="next"` };

/** `GET /marketplace/orbs` (spec §4.2, trust.md §7): published versions, for callers with a key. From memory. */
export const listRoute = (listings: Pick<Listings, 'all'>): Route => ({
  method: 'get',
  path: LIST,
  scope: 'marketplace:read',
  handle: async (request) => {
    const query = parseListQuery(request.query);
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const found = selectOrbs(listings.all(), query.value);
    const page = listPage(found, query.value, { path: LIST, query: request.query, item: listItem });
    return json(page.body, { 'cache-control': 'private, no-cache', ...linkTo(page) });
  },
  operation: {
    operationId: 'listOrbs',
    summary: 'Published Orbs, with tier and score',
    tags: ['marketplace'],
    parameters: listParameters,
    responses: { '200': { description: 'One page.', content: { 'application/json': { schema: listSchema } } } },
    problems: ['invalid-parameter'],
  },
});

const PUBLIC_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=60',
  'access-control-allow-origin': '*',
  vary: 'Accept-Encoding',
};

/** `gzip` is named, without a quality of 0. */
const takesGzip = (accepted: string | undefined): boolean =>
  accepted !== undefined && /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+)?\s*(?:,|$)/i.test(accepted);

function wholeList(request: RouteRequest, { plain, gzip, etag }: PublicList): Reply {
  const zipped = takesGzip(request.header('accept-encoding'));
  const headers = zipped ? { ...PUBLIC_HEADERS, 'content-encoding': 'gzip' } : PUBLIC_HEADERS;
  return conditional(request.header('if-none-match'), zipped ? `W/${etag}` : etag, {
    status: 200,
    headers,
    body: zipped ? gzip : plain,
  });
}

/** `GET /marketplace/orbs/public` (spec §4.2, trust.md §7): no key; exactly four members an item. */
export function publicListRoute(
  listings: Pick<Listings, 'all' | 'orb' | 'watch'>,
  clock: Pick<Clock, 'monotonic'>,
): Route {
  const lists = new PublicLists(listings, clock);
  return {
    method: 'get',
    path: PUBLIC_LIST,
    scope: 'public',
    handle: async (request) => {
      const query = parsePublicQuery(request.query);
      if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
      if (query.value === null) return wholeList(request, lists.current());
      const page = listPage(lists.current().orbs, query.value, {
        path: PUBLIC_LIST,
        query: request.query,
        item: publicItem,
      });
      return json(page.body, { ...PUBLIC_HEADERS, ...linkTo(page) });
    },
    operation: {
      operationId: 'listPublicOrbs',
      summary: 'Published Orbs, for everybody',
      description: 'Without parameters all Orbs, one item for each name.',
      tags: ['marketplace'],
      parameters: pageParameters,
      responses: {
        '200': { description: 'The list.', content: { 'application/json': { schema: publicListSchema } } },
        '304': { description: 'Not changed.' },
      },
      problems: ['invalid-parameter'],
    },
  };
}
