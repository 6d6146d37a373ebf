import type { JsonObject } from '../../../core/json/json-value.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { specOf } from '../../../core/reconcile/read-object.ts';
import { json } from '../../http/reply.ts';
import type { Member } from '../../http/read-members.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';
import { readBody } from './policy-body.ts';
import { checkPolicy } from './policy-document.ts';
import { checksOf, type PolicyParts } from './policy-parts.ts';
import { ownPlace, placeParameters } from './policy-place.ts';
import { etagHeader, policyHeaders, policyJson, policyObjectSchema } from './policy-view.ts';
import { findVersion } from './version-routes.ts';
import { specOfVersion } from './version-view.ts';
import { STORED_WORK } from './simulation-rate.ts';
import { notWritten, WRITE_PROBLEMS } from './write-answer.ts';

const MEMBERS: readonly Member[] = [
  { name: 'digest', accepts: (value) => typeof value === 'string', expected: 'the digest of a version' },
];

/** The spec of a version in the mode that the policy has: going back neither promotes nor switches off. */
const inModeOf = (policy: KubeObject, { mode: _mode, ...spec }: JsonObject): JsonObject => {
  const { mode } = specOf(policy);
  return mode === undefined ? spec : { ...spec, mode };
};

/** `POST /policies/{namespace}/{name}/rollback` (policy.md §5). */
export function rollbackRoute(parts: PolicyParts): Route {
  const { objects, logger, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request, STORED_WORK);
    if (refused !== undefined) return refused;
    const place = ownPlace(request);
    if (!place.ok) return place.reply;
    const body = readBody(request, MEMBERS);
    if (!body.ok) return body.reply;
    const { digest } = body.value;
    const version = await findVersion(request, parts, place.value, typeof digest === 'string' ? digest : '');
    if (!version.ok) return version.reply;
    const spec = specOfVersion(version.value);
    // Another program may have compiled it, and others may have used up the budget since.
    const checked = await checkPolicy(request, { spec }, place.value, checksOf(parts));
    if (!checked.ok) return checked.reply;
    const written = await objects.replace(
      place.value,
      () => true,
      (policy) => ({ ...checked.value, spec: inModeOf(policy, spec) }),
    );
    if (written.kind !== 'written') return notWritten(request, written);
    const { namespace, name } = place.value;
    const about = { caller: request.caller?.id, policy: `${namespace}/${name}`, digest: version.value.digest };
    logger.info('a policy is rolled back', about);
    return json(policyJson(written.policy), policyHeaders(written.policy));
  };
  return {
    method: 'post',
    path: '/policies/{namespace}/{name}/rollback',
    scope: 'policies:write',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'rollbackPolicy',
      summary: 'Makes an earlier version the current one, in the mode that the policy has',
      tags: ['policies'],
      parameters: placeParameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: closed({ digest: shapes.digest }) } },
      },
      responses: {
        '200': {
          description: 'The policy.',
          headers: etagHeader,
          content: { 'application/json': { schema: policyObjectSchema } },
        },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'ledger-unavailable',
        'rate-limited',
        'overloaded',
        ...WRITE_PROBLEMS,
      ],
    },
  };
}
