import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { contextDocument } from '../../../core/certificate/context.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';
import type { ReputationReader } from '../../reputation/reputation-reader.ts';

const LIST = /^[1-9][0-9]{0,8}$/;

const etagOf = (body: string): string => `"${sha256Hex(body).slice(0, 32)}"`;

function statusListRoute(reader: ReputationReader): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const { n: list = '' } = request.params;
    const jwt = LIST.test(list) ? await reader.statusListOf(Number(list)) : undefined;
    if (jwt === undefined) {
      return problem(request, 'certificate-not-issued', { detail: 'No certificate has its bit in this list.' });
    }
    const headers = { 'content-type': 'application/vc+jwt', 'cache-control': 'public, max-age=300' };
    return conditional(request.header('if-none-match'), etagOf(jwt), { status: 200, headers, body: jwt });
  };
  return {
    method: 'get',
    path: '/.well-known/orb-status-list/{n}',
    scope: 'public',
    handle,
    operation: {
      operationId: 'getStatusList',
      summary: 'Which certificates were revoked, signed',
      tags: ['reputation'],
      parameters: [{ name: 'n', in: 'path', description: 'Number of the list, from 1.', schema: { type: 'string' } }],
      responses: {
        '200': {
          description: 'A BitstringStatusListCredential as JWT.',
          content: { 'application/vc+jwt': { schema: shapes.jws } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: ['certificate-not-issued', 'ledger-unavailable'],
    },
  };
}

function contextRoute(issuer: string): Route {
  const body = JSON.stringify(contextDocument(issuer));
  const headers = { 'content-type': 'application/ld+json', 'cache-control': 'public, max-age=86400' };
  return {
    method: 'get',
    path: '/.well-known/orb-context/v1',
    scope: 'public',
    handle: (request) =>
      Promise.resolve(
        conditional(request.header('if-none-match'), etagOf(body), { status: 200, headers: { ...headers }, body }),
      ),
    operation: {
      operationId: 'getCertificateContext',
      summary: 'Vocabulary of certificates',
      tags: ['reputation'],
      responses: {
        '200': {
          description: 'JSON-LD context; it never changes.',
          content: { 'application/ld+json': { schema: closed({ '@context': { type: 'object' } }) } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: [],
    },
  };
}

/** What a stranger needs to verify certificates, beside the keys (trust.md §6.1). */
export const wellKnownRoutes = (reader: ReputationReader, issuer: string): readonly Route[] => [
  statusListRoute(reader),
  contextRoute(issuer),
];
