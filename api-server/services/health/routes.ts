import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { closed } from '../../http/schemas.ts';

export interface Health {
  readonly version: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Names of parts that this instance waits for or has found broken: caches, self-check. Empty: ready. */
  readonly missing: () => readonly string[];
}

const body = (value: JsonSchema): Readonly<Record<string, { readonly schema: JsonSchema }>> => ({
  'application/json': { schema: value },
});

const alive = { '200': { description: 'Yes.', content: body(closed({ status: { const: 'ok' } })) } };

const livez: Route = {
  method: 'get',
  path: '/livez',
  scope: 'public',
  rated: false,
  handle: () => Promise.resolve(json({ status: 'ok' })),
  operation: {
    operationId: 'getLivez',
    summary: 'Is the process alive',
    tags: ['platform'],
    responses: alive,
    problems: [],
  },
};

const readyz = (health: Health): Route => ({
  method: 'get',
  path: '/readyz',
  scope: 'public',
  rated: false,
  handle: (request) => {
    const missing = health.missing();
    const detail = `Missing: ${missing.join(', ')}.`;
    return Promise.resolve(missing.length === 0 ? json({ status: 'ok' }) : problem(request, 'not-ready', { detail }));
  },
  operation: {
    operationId: 'getReadyz',
    summary: 'May this instance get requests: caches synced, no failed self-check',
    tags: ['platform'],
    responses: alive,
    problems: ['not-ready'],
  },
});

const healthz = (health: Health): Route => {
  const startedAt = health.clock.monotonic();
  return {
    method: 'get',
    path: '/health',
    scope: 'public',
    rated: false,
    handle: () => {
      const uptime = Math.floor((health.clock.monotonic() - startedAt) / 1000);
      return Promise.resolve(json({ status: 'ok', version: health.version, uptime_seconds: uptime }));
    },
    operation: {
      operationId: 'getHealth',
      summary: 'Status, version and uptime',
      tags: ['runtime'],
      responses: {
        '200': {
          description: 'The process answers.',
          content: body(
            closed({
              status: { const: 'ok' },
              version: { type: 'string', minLength: 1 },
              uptime_seconds: { type: 'integer', minimum: 0 },
            }),
          ),
        },
      },
      problems: [],
    },
  };
};

/**
 * `GET /health` (spec §2.5), `/livez` and `/readyz`. They never call the ledger or the Kubernetes API (design.md §3).
 */
export const healthRoutes = (health: Health): readonly Route[] => [healthz(health), livez, readyz(health)];
