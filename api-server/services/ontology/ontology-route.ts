import { digestOfText } from '../../../core/manifest/digest.ts';
import { ORB_ONTOLOGY } from '../../../core/ontology/orb-ontology.ts';
import { conditional } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };

/** `GET /.well-known/orb-ontology.json` (trust.md §8.2): the version that publishing checks with. */
export function ontologyRoute(): Route {
  const body = JSON.stringify(ORB_ONTOLOGY);
  const etag = `"${digestOfText(body)}"`;
  return {
    method: 'get',
    path: '/.well-known/orb-ontology.json',
    scope: 'public',
    handle: (request) =>
      Promise.resolve(conditional(request.header('if-none-match'), etag, { status: 200, headers: HEADERS, body })),
    operation: {
      operationId: 'getOntology',
      summary: 'Terms and capabilities that manifests use',
      tags: ['marketplace'],
      responses: {
        '200': {
          description: 'The version of the ontology that this platform checks with.',
          content: {
            'application/json': {
              schema: { type: 'object', required: ['id', 'version', 'terms', 'capabilities'] },
            },
          },
        },
        '304': { description: 'Not changed.' },
      },
      problems: [],
    },
  };
}
