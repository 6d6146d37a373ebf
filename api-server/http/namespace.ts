import type { Parameter } from './operation.ts';
import { problem } from './problem.ts';
import type { ProblemCode } from './problems.ts';
import type { Reply, RouteRequest } from './route.ts';
import { tenantOf } from './tenant.ts';

export type Tenant = { readonly ok: true; readonly tenant: string } | { readonly ok: false; readonly reply: Reply };

/** The query parameter that every read route of a tenant has. */
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'query',
  description: 'Tenant; needed when the key acts for several.',
  schema: { type: 'string', maxLength: 63 },
};

/**
 * The tenant of a read request, or the answer that refuses it.
 * @param foreign code for another tenant's namespace: the same as for a missing object (security.md S13)
 * @param ambiguous code for a key of several tenants without `?namespace=`
 */
export function tenantFor(
  request: RouteRequest,
  foreign: ProblemCode,
  ambiguous: ProblemCode = 'namespace-ambiguous',
): Tenant {
  // The server requires a caller on these routes. A fault there must not open them.
  if (!request.caller) return { ok: false, reply: problem(request, 'unauthenticated') };
  const choice = tenantOf(request.caller, request.query.get('namespace'));
  if (choice.kind === 'tenant') return { ok: true, tenant: choice.tenant };
  return { ok: false, reply: problem(request, choice.kind === 'ambiguous' ? ambiguous : foreign) };
}
