import type { Ledger } from '../../../adapters/ledger/port.ts';
import { isDigest } from '../../../core/json/digest.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';

/** `GET /manifests/{digest}` (design.md §2): the exact bytes of the digest; own tenant only. */
export function manifestRoute(ledger: Pick<Ledger, 'manifest'>): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const { digest = '' } = request.params;
    const choice = tenantFor(request, 'manifest-not-found');
    if (!choice.ok) return choice.reply;
    const jcs = isDigest(digest) ? await ledger.manifest(choice.tenant, digest) : undefined;
    if (jcs === undefined) return problem(request, 'manifest-not-found');
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'Authorization',
    };
    return conditional(request.header('if-none-match'), `"${digest}"`, { status: 200, headers, body: jcs });
  };
  return {
    method: 'get',
    path: '/manifests/{digest}',
    scope: 'receipts:read',
    handle,
    operation: {
      operationId: 'getManifest',
      summary: 'A manifest that was once valid, by its digest',
      tags: ['runtime'],
      parameters: [
        { name: 'digest', in: 'path', description: 'manifest_digest of a receipt.', schema: shapes.digest },
        namespaceParameter,
      ],
      responses: {
        '200': {
          description: 'RFC 8785 text of the manifest; its SHA-256 is the digest.',
          content: { 'application/json': { schema: { type: 'object', required: ['orb_id'] } } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: ['manifest-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}
