import { objectAt } from '../../../core/json/members.ts';
import { isLabelName } from '../../../core/reconcile/kube-name.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';
import { tenantOf } from '../../http/tenant.ts';
import type { PolicyObjects, PolicyPlace } from '../../policy/port.ts';

/** The policy in a path. */
export const placeParameters: readonly Parameter[] = [
  { name: 'namespace', in: 'path', description: 'Tenant.', schema: { type: 'string', maxLength: 63 } },
  { name: 'name', in: 'path', description: 'Name of the policy.', schema: { type: 'string', maxLength: 63 } },
];

const placeIn = ({ params: { namespace = '', name = '' } }: RouteRequest): PolicyPlace => ({ namespace, name });

const isOwn = ({ caller }: RouteRequest, { namespace }: PolicyPlace): boolean =>
  caller !== undefined && tenantOf(caller, namespace).kind === 'tenant';

/** Policies of the platform meet the runs of every tenant, so that each may read them. */
const actsForSomebody = ({ caller }: RouteRequest): boolean => caller !== undefined && caller.tenants.length > 0;

/** Whether a policy meets the runs of every tenant. */
export const isForAll = (policy: KubeObject): boolean => objectAt(policy, 'spec')['scope'] === 'Platform';

/** The place in the path, if the caller may write there; a foreign one looks like one that does not exist. */
export function ownPlace(request: RouteRequest): Step<PolicyPlace> {
  const place = placeIn(request);
  return isOwn(request, place) && isLabelName(place.name)
    ? { ok: true, value: place }
    : refuse(problem(request, 'policy-not-found'));
}

/** The policy in the path, if the caller may read it: one of its own, or one of the platform for every tenant. */
export async function readablePolicy(
  request: RouteRequest,
  objects: Pick<PolicyObjects, 'read'>,
  platformNamespace: string,
): Promise<Step<KubeObject>> {
  const place = placeIn(request);
  const own = isOwn(request, place);
  const mayBeThere = own || (place.namespace === platformNamespace && actsForSomebody(request));
  if (!mayBeThere || !isLabelName(place.name)) return refuse(problem(request, 'policy-not-found'));
  const read = await objects.read(place);
  if (read.kind === 'away') return refuse(problem(request, 'control-plane-unavailable'));
  const { policy } = read;
  if (policy === undefined || !(own || isForAll(policy))) return refuse(problem(request, 'policy-not-found'));
  return { ok: true, value: policy };
}
