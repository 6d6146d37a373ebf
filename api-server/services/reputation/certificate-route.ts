import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import { negotiate } from '../../http/accept.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { bundleSchema } from '../receipts/receipt-schemas.ts';
import { certificateSchema } from './certificate-schema.ts';
import {
  certificateBundle,
  certificateJson,
  loadCertificate,
  type CertificateSource,
  type CertificateView,
} from './certificate-view.ts';
import type { Standing } from '../../reputation/reputation-reader.ts';

const JSON_TYPE = 'application/json';
const JWT = 'application/vc+jwt';
const BUNDLE = 'application/vnd.orb.bundle+json';
const OFFERED = [JSON_TYPE, JWT, BUNDLE] as const;
type Offered = (typeof OFFERED)[number];

const MAX_AGE_S = 60;

const idParameter: Parameter = {
  name: 'orb_id',
  in: 'path',
  description: 'A published version.',
  schema: shapes.orbId,
};

function bodyOf(view: CertificateView, source: CertificateSource, type: Offered): string {
  switch (type) {
    case JSON_TYPE:
      return JSON.stringify(certificateJson(view, source));
    case JWT:
      return view.jwt;
    case BUNDLE:
      return JSON.stringify(certificateBundle(view, source));
    default:
      return type satisfies never;
  }
}

/**
 * The JWT alone has the hash of its bytes. The other forms say more than the JWT: state, verdict and proof change without
 * it, and a 304 must not hide a revocation.
 */
function etagOf({ jwt, status, verification, proof }: CertificateView, type: Offered): string {
  const hash = sha256Hex(jwt).slice(0, 32);
  if (type === JWT) return `"${hash}"`;
  const form = type === BUNDLE ? 'bundle' : 'json';
  return `W/"${hash}-${form}-${status}-${verification.verdict}-${verification.code}-${proof?.treeSize ?? 0}"`;
}

/** No cache may keep a certificate beyond its end. */
function headersOf({ credential }: CertificateView, type: Offered, now: number): Readonly<Record<string, string>> {
  const expires = Math.min(now + MAX_AGE_S * 1000, Date.parse(credential.validUntil));
  return {
    'content-type': type,
    vary: 'Accept',
    'cache-control': `private, max-age=${MAX_AGE_S}, must-revalidate`,
    'last-modified': new Date(credential.validFrom).toUTCString(),
    expires: new Date(expires).toUTCString(),
  };
}

/** Names the criteria that are missing, so that the publisher knows what to do. */
function notIssued(request: RouteRequest, { orbId, missing }: Standing): Reply {
  const lacks = missing.length === 0 ? '' : ` Missing for the next tier: ${missing.map(({ id }) => id).join(', ')}.`;
  return problem(request, 'certificate-not-issued', {
    detail: `${orbId} never had a certificate.${lacks}`,
    extensions: { missing: missing.map(({ id, required, actual }) => ({ id, required, actual })) },
  });
}

/** `GET /reputation/{orb_id}/certificate` (trust.md §6.1): 200 in every state of a certificate. */
export function certificateRoute(source: CertificateSource): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const type = negotiate(request.header('accept'), OFFERED);
    if (type === undefined) {
      return problem(request, 'not-acceptable', {
        detail: `Served: ${OFFERED.join(', ')}.`,
        headers: { vary: 'Accept' },
      });
    }
    const orbId = parseOrbId(request.params['orb_id'] ?? '');
    const standing = orbId.ok ? await source.reader.standing(orbId.value) : undefined;
    if (standing === undefined) return problem(request, 'orb-not-published');
    const view = await loadCertificate(source, standing, type === BUNDLE);
    if (view === undefined) return notIssued(request, standing);
    const headers = headersOf(view, type, source.clock.now());
    const reply = { status: 200, headers, body: bodyOf(view, source, type) };
    return conditional(request.header('if-none-match'), etagOf(view, type), reply);
  };
  return {
    method: 'get',
    path: '/reputation/{orb_id}/certificate',
    scope: 'reputation:read',
    handle,
    operation: {
      operationId: 'getCertificate',
      summary: 'The newest certificate of a published version, verified now',
      tags: ['reputation'],
      parameters: [idParameter],
      responses: {
        '200': {
          description:
            'The certificate; as application/vc+jwt its JWT, as a bundle all that offline verification needs.',
          headers: { ETag: { description: 'Changes with state and verdict.', schema: { type: 'string' } } },
          content: {
            [JSON_TYPE]: { schema: certificateSchema },
            [JWT]: { schema: shapes.jws },
            [BUNDLE]: { schema: bundleSchema },
          },
        },
        '304': { description: 'Not changed, state and verdict included.' },
      },
      problems: ['orb-not-published', 'certificate-not-issued', 'not-acceptable', 'ledger-unavailable'],
    },
  };
}
