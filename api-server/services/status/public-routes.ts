import type { Operation } from '../../http/operation.ts';
import { queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { conditional, json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, ref } from '../../http/schemas.ts';
import type { StatusPages, WhenEmpty } from '../../status/status-pages.ts';

/** The pages carry nothing of a caller, so every page of every site may read them. */
const OPEN = { 'access-control-allow-origin': '*' } as const;
const FOR_A_ROUND = { ...OPEN, 'cache-control': 'public, max-age=15' } as const;
const FOR_A_MINUTE = { ...OPEN, 'cache-control': 'public, max-age=60' } as const;

const WHY: Readonly<Record<WhenEmpty, string>> = {
  'first-round': 'The first round of checks is under way.',
  nobody: 'Nobody measures: no round of checks was told in the last 30 days.',
};

const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;

const answers = (description: string, name: string): Operation['responses'] => ({
  '200': { description, content: { 'application/json': { schema: ref(name) } } },
});

function noParameters(request: RouteRequest): Reply | undefined {
  const read = new QueryReader(request.query, []).result(undefined);
  return read.ok ? undefined : problem(request, 'invalid-parameter', { errors: read.errors, headers: OPEN });
}

function current(pages: StatusPages): Route {
  const handle = (request: RouteRequest): Reply => {
    const refused = noParameters(request);
    if (refused !== undefined) return refused;
    const page = pages.current();
    if (page === null) return problem(request, 'status-not-measured', { detail: WHY[pages.whenEmpty], headers: OPEN });
    const headers = { 'content-type': 'application/json', ...FOR_A_ROUND };
    return conditional(request.header('if-none-match'), page.etag, { status: 200, headers, body: page.body });
  };
  return {
    method: 'get',
    path: '/status',
    scope: 'public',
    handle: (request) => Promise.resolve(handle(request)),
    operation: {
      operationId: 'getStatus',
      summary: 'What works, uptime of 30 days with its coverage, incidents and maintenance',
      description:
        'At most 16 KiB. Where lists are long, the newest incidents and the next windows are shown. The ETag does not change with last_updated and window_start.',
      tags: ['status'],
      responses: {
        '200': {
          description: 'The state of the platform.',
          headers: { ETag: { description: 'Of everything but the times of measuring.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: ref('Status') } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: ['status-not-measured', 'invalid-parameter'],
    },
  };
}

function days(pages: StatusPages): Route {
  const handle = (request: RouteRequest): Reply => {
    const query = new QueryReader(request.query, ['days']);
    const read = query.result(query.integer('days', 1, MAX_DAYS) ?? DEFAULT_DAYS);
    if (!read.ok) return problem(request, 'invalid-parameter', { errors: read.errors, headers: OPEN });
    return json(pages.days(read.value), FOR_A_MINUTE);
  };
  return {
    method: 'get',
    path: '/status/days',
    scope: 'public',
    handle: (request) => Promise.resolve(handle(request)),
    operation: {
      operationId: 'getStatusDays',
      summary: 'What each service did on each UTC day, and the incidents that ended',
      description:
        'The oldest day first; today up to now. The six numbers of a service add up to the day, so they give the same uptime.',
      tags: ['status'],
      parameters: [
        queryParameter('days', `Days, with today; default ${DEFAULT_DAYS}.`, {
          type: 'integer',
          minimum: 1,
          maximum: MAX_DAYS,
        }),
      ],
      responses: answers('The days.', 'StatusDays'),
      problems: ['invalid-parameter'],
    },
  };
}

const maintenance = (pages: StatusPages): Route => ({
  method: 'get',
  path: '/status/maintenance',
  scope: 'public',
  handle: (request) => Promise.resolve(noParameters(request) ?? json({ items: [...pages.maintenance()] }, FOR_A_ROUND)),
  operation: {
    operationId: 'listMaintenance',
    summary: 'Windows of maintenance of the last 90 days and to come, by their beginning',
    tags: ['status'],
    responses: {
      '200': {
        description: 'The windows.',
        content: {
          'application/json': {
            schema: closed({ items: { type: 'array', items: ref('Maintenance'), maxItems: 1000 } }),
          },
        },
      },
    },
    problems: ['invalid-parameter'],
  },
});

/** The pages for everybody; the API and the prober serve the same. */
export const publicRoutes = (pages: StatusPages): readonly Route[] => [current(pages), days(pages), maintenance(pages)];
