import { json } from '../../api-server/http/reply.ts';
import type { Route, RouteRequest } from '../../api-server/http/route.ts';

/** Any answer in JSON. */
export const anything = { '200': { description: 'Anything.', content: { 'application/json': { schema: true } } } };

/** A route that answers `{"done":true}`, with the given changes. */
export const aRoute = (some: Partial<Route>, operationId = 'aRoute'): Route => ({
  method: 'get',
  path: '/things',
  scope: 'receipts:read',
  handle: () => Promise.resolve(json({ done: true })),
  operation: { operationId, summary: 'A thing', tags: [], responses: anything, problems: [] },
  ...some,
});

/** Answers with the parts of the request. */
export const echo = (
  request: RouteRequest,
): Promise<{ status: number; headers: Record<string, string>; body: string }> =>
  Promise.resolve({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: request.params['id'],
      query: [...request.query],
      body: Buffer.from(request.body).toString('utf8'),
      traceparent: request.traceparent,
      caller: request.caller?.id,
    }),
  });

export const idParameter = { name: 'id', in: 'path', description: 'An id.', schema: { type: 'string' } } as const;
export const things = aRoute({});
export const echoing = aRoute({
  method: 'post',
  path: '/things/{id}',
  accepts: 'application/json',
  handle: echo,
  operation: {
    operationId: 'echo',
    summary: 'What came in',
    tags: [],
    parameters: [idParameter],
    requestBody: { required: true, content: { 'application/json': { schema: true } } },
    responses: anything,
    problems: [],
  },
});

/** A handler that waits until the test lets it proceed. */
export function gated(): { route: Route; entered: Promise<void>; proceed: () => void; signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const handle = async (request: RouteRequest): ReturnType<Route['handle']> => {
    signals.push(request.signal);
    entered.resolve();
    await gate.promise;
    return json({ done: true });
  };
  const route = aRoute({ path: '/gated', sheds: true, handle }, 'gated');
  return { route, entered: entered.promise, proceed: gate.resolve, signals };
}
