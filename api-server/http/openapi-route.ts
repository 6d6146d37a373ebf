import { createHash } from 'node:crypto';
import { openapiOf, type DocumentParts } from './openapi.ts';
import { conditional } from './reply.ts';
import type { Reply, Route, RouteRequest } from './route.ts';

/** `GET /openapi.json` over the other routes and itself. The document is built once. */
export function openapiRoute(others: readonly Route[], parts: DocumentParts): Route {
  let served: { readonly body: Buffer; readonly etag: string } | undefined;
  const document = (): { readonly body: Buffer; readonly etag: string } => {
    if (!served) {
      const body = Buffer.from(JSON.stringify(openapiOf([...others, route], parts)));
      served = { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` };
    }
    return served;
  };
  const handle = (request: RouteRequest): Promise<Reply> => {
    const { body, etag } = document();
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
    return Promise.resolve(conditional(request.header('if-none-match'), etag, { status: 200, headers, body }));
  };
  const route: Route = {
    method: 'get',
    path: '/openapi.json',
    scope: 'public',
    handle,
    operation: {
      operationId: 'getOpenapi',
      summary: 'This document',
      tags: ['platform'],
      responses: {
        '200': {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object', required: ['openapi', 'paths'] } } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: [],
    },
  };
  return route;
}
