import type { Parameter } from './operation.ts';
import { problem } from './problem.ts';
import type { ProblemCode } from './problems.ts';
import type { Reply, RouteRequest } from './route.ts';
import { tenantOf } from './tenant.ts';

export type Tenant = { readonly ok: true; readonly tenant: string } | { readonly ok: false; readonly reply: Reply };

/** The query parameter of every read route of a tenant. */
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'query',
  description: 'Tenant; needed when the key acts for several.',
  schema: { type: 'string', maxLength: 63 },
};

/**
 * The tenant of a read request, or the answer that refuses it.
 * @param foreign code for a namespace that is not the caller's: the one of something that does not exist (security.md S13)
 * @param ambiguous code for a key of several tenants that names none
 */
export function tenantFor(
  request: RouteRequest,
  foreign: ProblemCode,
  ambiguous: ProblemCode = 'namespace-ambiguous',
): Tenant {
  // The server lets nobody through without a caller on these routes; a fault there must not open them.
  if (!request.caller) return { ok: false, reply: problem(request, 'unauthenticated') };
  const choice = tenantOf(request.caller, request.query.get('namespace'));
  if (choice.kind === 'tenant') return { ok: true, tenant: choice.tenant };
  return { ok: false, reply: problem(request, choice.kind === 'ambiguous' ? ambiguous : foreign) };
}
