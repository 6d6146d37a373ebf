import type { RoundProblem } from '../../../core/status/rounds.ts';
import { forEachService, SERVICES } from '../../../core/status/service.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { cursorParameter, foreignCursor, isCursor, pageAt, present, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, count, shapes, text } from '../../http/schemas.ts';
import type { PlatformStatus } from '../../status/platform-status.ts';
import { refuseOthers } from './platform-caller.ts';
import { MAX_CHECKS, MAX_ROUNDS, roundsIn } from './rounds-body.ts';
import { stateSchema } from './status-schemas.ts';

export interface RoundParts {
  readonly status: Pick<PlatformStatus, 'take' | 'intervals'>;
  readonly platformNamespace: string;
}

const WHY: Readonly<Record<RoundProblem, string>> = {
  future: 'It ends more than five seconds from now.',
  'too-old': 'It began more than 30 days ago.',
  'too-long': 'It holds for more than 7.5 minutes.',
  order: 'It ends before it begins, or begins before the round before it ends.',
  overlap: 'It overlaps what is kept.',
  changed: 'It was told before with another state.',
};

const time = (at: number): string => new Date(at).toISOString();

const check: JsonSchema = closed({
  id: { type: 'string', pattern: '^[a-z0-9-]{1,64}$' },
  ok: { type: 'boolean' },
  ms: { type: 'number', minimum: 0, description: 'Milliseconds.' },
  code: { anyOf: [{ type: 'string', pattern: '^[a-z0-9-]{1,64}$' }, { type: 'null' }] },
});

const serviceOfRound: JsonSchema = closed(
  { state: stateSchema, checks: { type: 'array', items: check, maxItems: MAX_CHECKS } },
  ['checks'],
);

const roundSchema: JsonSchema = closed({
  at: shapes.time,
  until: shapes.time,
  services: {
    ...closed(
      forEachService(() => serviceOfRound),
      SERVICES,
    ),
    minProperties: 1,
  },
});

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

function tellRoute({ status, platformNamespace }: RoundParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = refuseOthers(request, platformNamespace);
    if (refused !== undefined) return refused;
    const rounds = roundsIn(request);
    if (!rounds.ok) return rounds.reply;
    const taken = await status.take(rounds.value);
    if (taken.kind === 'taken')
      return json({ accepted: rounds.value.length, last: taken.last === null ? null : time(taken.last) });
    const error = { pointer: `/rounds/${taken.position}`, code: taken.problem, detail: WHY[taken.problem] };
    return problem(request, 'round-invalid', { errors: [error] });
  };
  return {
    method: 'post',
    path: '/status/rounds',
    scope: 'status:report',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'tellRounds',
      summary: 'Takes rounds of checks, all of them or none',
      description:
        'At most 64 KiB. Rounds follow each other in time. A repeat is accepted and adds nothing; the last round may be told again with a later end. An empty list only answers how far the rounds are kept.',
      tags: ['status'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: closed({
              prober: { type: 'string', minLength: 1, maxLength: 253 },
              rounds: { type: 'array', items: roundSchema, maxItems: MAX_ROUNDS },
            }),
          },
        },
      },
      responses: {
        '200': {
          description: 'The rounds are kept.',
          content: {
            'application/json': {
              schema: closed({ accepted: count('Rounds of this request.'), last: orNull(shapes.time) }),
            },
          },
        },
      },
      problems: ['round-invalid', 'invalid-parameter', 'unknown-member', 'invalid-json', 'ledger-unavailable'],
    },
  };
}

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1000;

function intervalsRoute({ status, platformNamespace }: RoundParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = refuseOthers(request, platformNamespace);
    if (refused !== undefined) return refused;
    const reader = new QueryReader(request.query, ['since', 'limit', 'cursor']);
    const read = reader.result({
      since: reader.time('since') ?? 0,
      limit: reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
      cursor: reader.text('cursor', isCursor, 'a next_cursor as it was given'),
    });
    if (!read.ok) return problem(request, 'invalid-parameter', { errors: read.errors });
    const { cursor, ...query } = read.value;
    const page = await pageAt({ ...query, ...present({ cursor }) }, (asked) => status.intervals(asked));
    return page === undefined ? foreignCursor(request) : json({ items: [...page.items], next_cursor: page.nextCursor });
  };
  return {
    method: 'get',
    path: '/status/intervals',
    scope: 'status:report',
    handle,
    operation: {
      operationId: 'listStatusIntervals',
      summary: 'Stretches of time in which a service had one state, by service, the oldest first',
      tags: ['status'],
      parameters: [
        queryParameter('since', 'Stretches that end later.', { type: 'string', format: 'date-time' }),
        queryParameter('limit', `Items on a page; default ${DEFAULT_LIMIT}.`, {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
        }),
        cursorParameter(),
      ],
      responses: {
        '200': {
          description: 'One page.',
          content: {
            'application/json': {
              schema: closed({
                items: {
                  type: 'array',
                  items: closed({
                    service: { type: 'string', enum: SERVICES },
                    from: shapes.time,
                    to: shapes.time,
                    state: stateSchema,
                    announced: { type: 'boolean', description: 'Maintenance that was announced 24 hours ahead.' },
                  }),
                },
                next_cursor: orNull(text('For the next page; null: this is the last.')),
              }),
            },
          },
        },
      },
      problems: ['invalid-parameter', 'ledger-unavailable'],
    },
  };
}

/** What a prober tells, and what it reads at its start. */
export const roundRoutes = (parts: RoundParts): readonly Route[] => [tellRoute(parts), intervalsRoute(parts)];
