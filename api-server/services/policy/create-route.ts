import { member } from '../../../core/json/members.ts';
import { isLabelName } from '../../../core/reconcile/kube-name.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { readJsonBody, tenantOfPolicy } from './policy-body.ts';
import { checkPolicy } from './policy-document.ts';
import { checksOf, type PolicyParts } from './policy-parts.ts';
import { etagHeader, policyHeaders, policyJson, policyObjectSchema } from './policy-view.ts';
import { policySchema } from './schemas.ts';
import { notWritten } from './write-answer.ts';

/** `POST /policies` (policy.md §5). */
export function createPolicyRoute(parts: PolicyParts): Route {
  const { objects, logger, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const body = readJsonBody(request);
    if (!body.ok) return body.reply;
    const choice = tenantOfPolicy(request, body.value);
    if (choice.kind !== 'tenant')
      return problem(request, choice.kind === 'ambiguous' ? 'namespace-ambiguous' : 'namespace-not-found');
    const written = member(member(body.value, 'metadata'), 'name');
    // The schema reports a name that is missing or malformed.
    const name = typeof written === 'string' && isLabelName(written) ? written : '';
    const place = { namespace: choice.tenant, name };
    const checked = await checkPolicy(request, body.value, place, checksOf(parts));
    if (!checked.ok) return checked.reply;
    const created = await objects.create(place, checked.value);
    if (created.kind !== 'written') return notWritten(request, created);
    const policy = `${place.namespace}/${name}`;
    logger.info('a policy is created', { caller: request.caller?.id, policy });
    const headers = { ...policyHeaders(created.policy), location: `/policies/${policy}` };
    return { ...json(policyJson(created.policy), headers), status: 201 };
  };
  return {
    method: 'post',
    path: '/policies',
    scope: 'policies:write',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'createPolicy',
      summary: 'Creates a policy that would take force',
      tags: ['policies'],
      parameters: [namespaceParameter],
      requestBody: { required: true, content: { 'application/json': { schema: policySchema } } },
      responses: {
        '201': {
          description: 'Created.',
          headers: { ...etagHeader, Location: { description: 'Path of the policy.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: policyObjectSchema } },
        },
      },
      problems: [
        'invalid-json',
        'namespace-not-found',
        'namespace-ambiguous',
        'already-exists',
        'policy-invalid',
        'rate-limited',
        'overloaded',
        'control-plane-unavailable',
      ],
    },
  };
}
