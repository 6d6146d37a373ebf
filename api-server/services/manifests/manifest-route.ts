import type { Ledger } from '../../../adapters/ledger/port.ts';
import { isDigest } from '../../../core/json/digest.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';

/** What a digest is over never changes. */
const FOREVER = 'max-age=31536000, immutable';

const answer = (request: RouteRequest, digest: string, jcs: string, cache: 'public' | 'private'): Reply =>
  conditional(request.header('if-none-match'), `"${digest}"`, {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': `${cache}, ${FOREVER}`, vary: 'Authorization' },
    body: jcs,
  });

/**
 * `GET /manifests/{digest}` (design.md §2): the exact bytes of the digest. A published manifest is for everybody,
 * also without a key, by any key, and without a tenant (trust.md §2.2); another one only for tenants that had it.
 */
export function manifestRoute(ledger: Pick<Ledger, 'manifest' | 'publicManifest'>): Route {
  const forAnyone = async (request: RouteRequest): Promise<Reply | undefined> => {
    const { digest = '' } = request.params;
    const jcs = isDigest(digest) ? await ledger.publicManifest(digest) : undefined;
    return jcs === undefined ? undefined : answer(request, digest, jcs, 'public');
  };
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const published = await forAnyone(request);
    if (published !== undefined) return published;
    const { digest = '' } = request.params;
    // Without a key every other digest gets this answer: it does not tell whether a tenant has the manifest.
    const choice = tenantFor(request, 'manifest-not-found');
    if (!choice.ok) return choice.reply;
    const jcs = isDigest(digest) ? await ledger.manifest(choice.tenant, digest) : undefined;
    return jcs === undefined ? problem(request, 'manifest-not-found') : answer(request, digest, jcs, 'private');
  };
  return {
    method: 'get',
    path: '/manifests/{digest}',
    scope: 'receipts:read',
    anonymous: 'maybe',
    forAnyone,
    handle,
    operation: {
      operationId: 'getManifest',
      summary: 'A manifest that was once valid, by its digest',
      description: 'A published manifest needs no key.',
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
