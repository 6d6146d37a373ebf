import { createHash } from 'node:crypto';
import { ORB_FACTS } from '../../../core/policy/facts/orb-facts.ts';
import { languageReference } from '../../../core/policy/simulation/language-reference.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { conditional } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { closed, text } from '../../http/schemas.ts';

const rows = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'object' },
  description,
});

/** `GET /policies/schema` (policy.md §5): what a policy can name. The same for every caller. */
export function schemaRoute(): Route {
  const body = JSON.stringify(languageReference(ORB_FACTS));
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  const headers = { 'content-type': 'application/json', 'cache-control': 'private, max-age=300' };
  return {
    method: 'get',
    path: '/policies/schema',
    scope: 'authenticated',
    handle: (request) =>
      Promise.resolve(conditional(request.header('if-none-match'), etag, { status: 200, headers, body })),
    operation: {
      operationId: 'getPolicySchema',
      summary: 'Facts, functions and obligations that a policy can name',
      tags: ['policies'],
      responses: {
        '200': {
          description: 'The language of policies.',
          headers: { ETag: { description: 'Changes with the version of the program.', schema: { type: 'string' } } },
          content: {
            'application/json': {
              schema: closed({
                schema: text('Name of the fact schema.'),
                facts: rows('Facts, with type, bounds and phase.'),
                functions: rows('Functions, with types.'),
                obligations: rows('Obligations, with parameters and phases.'),
              }),
            },
          },
        },
        '304': { description: 'Not changed.' },
      },
      problems: [],
    },
  };
}
