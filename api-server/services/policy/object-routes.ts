import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import type { Parameter } from '../../http/operation.ts';
import { policyEtag } from '../../policy/policy-objects.ts';
import type { PolicyPlace } from '../../policy/port.ts';
import { readJsonBody } from './policy-body.ts';
import { checkPolicy } from './policy-document.ts';
import { checksOf, type PolicyParts } from './policy-parts.ts';
import { ownPlace, placeParameters, readablePolicy } from './policy-place.ts';
import { etagHeader, policyHeaders, policyJson, policyObjectSchema } from './policy-view.ts';
import { policySchema } from './schemas.ts';
import { notWritten, WRITE_PROBLEMS } from './write-answer.ts';

const PATH = '/policies/{namespace}/{name}';

const ifMatchParameter: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'ETag of the version that was read.',
  required: true,
  schema: { type: 'string' },
};

const answer = {
  '200': {
    description: 'The policy.',
    headers: etagHeader,
    content: { 'application/json': { schema: policyObjectSchema } },
  },
};

type Matches = (policy: KubeObject) => boolean;

/** The version that the caller read (RFC 9110 §13.1.1); `*` stands for any. */
function ifMatch(request: RouteRequest): Step<Matches> {
  const header = request.header('if-match');
  if (header === undefined) return refuse(problem(request, 'precondition-required'));
  const given = header.split(',').map((tag) => tag.trim());
  return { ok: true, value: (policy) => given.includes('*') || given.includes(policyEtag(policy)) };
}

/** Where the caller wants to write, and which version. */
function target(request: RouteRequest): Step<{ readonly place: PolicyPlace; readonly matches: Matches }> {
  const place = ownPlace(request);
  if (!place.ok) return place;
  const matches = ifMatch(request);
  return matches.ok ? { ok: true, value: { place: place.value, matches: matches.value } } : matches;
}

const readRoute = ({ objects, platformNamespace }: PolicyParts): Route => ({
  method: 'get',
  path: PATH,
  scope: 'policies:read',
  handle: async (request) => {
    const found = await readablePolicy(request, objects, platformNamespace);
    return found.ok ? json(policyJson(found.value), policyHeaders(found.value)) : found.reply;
  },
  operation: {
    operationId: 'getPolicy',
    summary: 'A policy of the tenant, or one of the platform for every tenant',
    tags: ['policies'],
    parameters: placeParameters,
    responses: answer,
    problems: ['policy-not-found', 'control-plane-unavailable'],
  },
});

function replaceRoute(parts: PolicyParts): Route {
  const { objects, logger, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const wanted = target(request);
    if (!wanted.ok) return wanted.reply;
    const body = readJsonBody(request);
    if (!body.ok) return body.reply;
    const { place, matches } = wanted.value;
    const checked = await checkPolicy(request, body.value, place, checksOf(parts));
    if (!checked.ok) return checked.reply;
    const written = await objects.replace(place, matches, () => checked.value);
    if (written.kind !== 'written') return notWritten(request, written);
    const { namespace, name } = place;
    logger.info('a policy is replaced', { caller: request.caller?.id, policy: `${namespace}/${name}` });
    return json(policyJson(written.policy), policyHeaders(written.policy));
  };
  return {
    method: 'put',
    path: PATH,
    scope: 'policies:write',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'replacePolicy',
      summary: 'Replaces the spec of a policy',
      tags: ['policies'],
      parameters: [...placeParameters, ifMatchParameter],
      requestBody: { required: true, content: { 'application/json': { schema: policySchema } } },
      responses: answer,
      problems: ['invalid-json', 'precondition-required', 'rate-limited', 'overloaded', ...WRITE_PROBLEMS],
    },
  };
}

function deleteRoute({ objects, logger }: PolicyParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const wanted = target(request);
    if (!wanted.ok) return wanted.reply;
    const { place, matches } = wanted.value;
    const removed = await objects.remove(place, matches);
    if (removed.kind !== 'deleted') return notWritten(request, removed);
    const { namespace, name } = place;
    logger.info('a policy is deleted', { caller: request.caller?.id, policy: `${namespace}/${name}` });
    return { status: 204, headers: {}, body: '' };
  };
  return {
    method: 'delete',
    path: PATH,
    scope: 'policies:write',
    handle,
    operation: {
      operationId: 'deletePolicy',
      summary: 'Deletes a policy',
      tags: ['policies'],
      parameters: [...placeParameters, ifMatchParameter],
      responses: { '204': { description: 'Deleted.' } },
      problems: [
        'policy-not-found',
        'precondition-required',
        'precondition-failed',
        'managed-elsewhere',
        'control-plane-unavailable',
      ],
    },
  };
}

/** `GET`, `PUT` and `DELETE /policies/{namespace}/{name}` (policy.md §5). */
export const policyObjectRoutes = (parts: PolicyParts): readonly Route[] => [
  readRoute(parts),
  replaceRoute(parts),
  deleteRoute(parts),
];
