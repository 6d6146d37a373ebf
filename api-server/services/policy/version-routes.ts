import type { PolicyVersion } from '../../../adapters/ledger/port.ts';
import { isDigest } from '../../../core/json/digest.ts';
import { tenantOf } from '../../http/tenant.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';
import type { PolicyPlace } from '../../policy/port.ts';
import type { PolicyParts } from './policy-parts.ts';
import { placeParameters, ownPlace, readablePolicy } from './policy-place.ts';
import { specOfVersion, versionJson, versionSchema, wholeVersionSchema } from './version-view.ts';

const PATH = '/policies/{namespace}/{name}/versions';
const MOST_VERSIONS = 100;

/** Whose versions are wanted. */
interface WantedVersions extends PolicyPlace {
  /** Those that met the runs of every tenant; the others are the platform's own affair. */
  readonly onlyForAll: boolean;
}

/**
 * Whose versions are wanted. Those of an own policy stay when it is deleted; those of the platform are shown while the
 * policy meets the runs of every tenant.
 */
async function place(
  request: RouteRequest,
  { objects, platformNamespace }: PolicyParts,
): Promise<Step<WantedVersions>> {
  const { namespace = '', name = '' } = request.params;
  const isOwn = request.caller !== undefined && tenantOf(request.caller, namespace).kind === 'tenant';
  if (isOwn) {
    const own = ownPlace(request);
    return own.ok ? { ok: true, value: { ...own.value, onlyForAll: false } } : own;
  }
  const found = await readablePolicy(request, objects, platformNamespace);
  return found.ok ? { ok: true, value: { namespace, name, onlyForAll: true } } : found;
}

const isShown = (version: PolicyVersion, { onlyForAll }: WantedVersions): boolean =>
  !onlyForAll || specOfVersion(version)['scope'] === 'Platform';

function listRoute(parts: PolicyParts): Route {
  const { ledger, objects, platformNamespace } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const wanted = await place(request, parts);
    if (!wanted.ok) return wanted.reply;
    const { namespace, name } = wanted.value;
    const versions = await ledger.policyVersions(namespace, name, MOST_VERSIONS);
    if (versions.length === 0) {
      const found = await readablePolicy(request, objects, platformNamespace);
      if (!found.ok) return found.reply;
    }
    const shown = versions.filter((version) => isShown(version, wanted.value));
    const items = await Promise.all(shown.map((version) => versionJson(ledger, version)));
    return json({ items }, { 'cache-control': 'private, no-cache' });
  };
  return {
    method: 'get',
    path: PATH,
    scope: 'policies:read',
    handle,
    operation: {
      operationId: 'listPolicyVersions',
      summary: `Versions of a policy that were in force, the newest first, at most ${MOST_VERSIONS}`,
      tags: ['policies'],
      parameters: placeParameters,
      responses: {
        '200': {
          description: 'The versions.',
          content: {
            'application/json': {
              schema: closed({ items: { type: 'array', items: versionSchema, maxItems: MOST_VERSIONS } }),
            },
          },
        },
      },
      problems: ['policy-not-found', 'control-plane-unavailable', 'ledger-unavailable'],
    },
  };
}

const noSuchVersion = (request: RouteRequest): Reply =>
  problem(request, 'policy-not-found', { detail: 'No version with this digest was in force.' });

/** A version of a policy. */
export async function findVersion(
  request: RouteRequest,
  { ledger }: Pick<PolicyParts, 'ledger'>,
  { namespace, name }: PolicyPlace,
  digest: string,
): Promise<Step<PolicyVersion>> {
  const found = isDigest(digest) ? await ledger.policyVersion(namespace, name, digest) : undefined;
  return found === undefined ? refuse(noSuchVersion(request)) : { ok: true, value: found };
}

function readRoute(parts: PolicyParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const wanted = await place(request, parts);
    if (!wanted.ok) return wanted.reply;
    const found = await findVersion(request, parts, wanted.value, request.params['digest'] ?? '');
    if (!found.ok) return found.reply;
    if (!isShown(found.value, wanted.value)) return noSuchVersion(request);
    const shown = await versionJson(parts.ledger, found.value);
    return json({ ...shown, spec: specOfVersion(found.value) }, { 'cache-control': 'private, no-cache' });
  };
  return {
    method: 'get',
    path: `${PATH}/{digest}`,
    scope: 'policies:read',
    handle,
    operation: {
      operationId: 'getPolicyVersion',
      summary: 'A version of a policy that was in force',
      tags: ['policies'],
      parameters: [
        ...placeParameters,
        { name: 'digest', in: 'path', description: 'Of the version.', schema: shapes.digest },
      ],
      responses: {
        '200': { description: 'The version.', content: { 'application/json': { schema: wholeVersionSchema } } },
      },
      problems: ['policy-not-found', 'control-plane-unavailable', 'ledger-unavailable'],
    },
  };
}

/** `GET /policies/{namespace}/{name}/versions` and `…/versions/{digest}` (policy.md §5). */
export const versionRoutes = (parts: PolicyParts): readonly Route[] => [listRoute(parts), readRoute(parts)];
