import type { Caller } from '../../core/api-key/caller.ts';
import { isLabelName } from '../../core/reconcile/kube-name.ts';

/** The part of a caller that matters here. */
type Tenants = Pick<Caller, 'tenants'>;

/**
 * A caller without a key, where a route allows it: standalone, whose bare manifests are in this tenant (design.md §7).
 */
const ANONYMOUS: Tenants = { tenants: ['default'] };

/** The tenant of a request. */
export type TenantChoice =
  | { readonly kind: 'tenant'; readonly tenant: string }
  /** The key acts for several tenants and the request does not name a tenant. */
  | { readonly kind: 'ambiguous' }
  /** Not a tenant of the key; answered as if it did not exist (security.md S13). */
  | { readonly kind: 'unknown' };

interface OrbisetRef {
  readonly namespace: string;
  readonly name: string;
}

const actsFor = (caller: Tenants, namespace: string): boolean =>
  isLabelName(namespace) && (caller.tenants === '*' || caller.tenants.includes(namespace));

const onlyTenant = (caller: Tenants): string | undefined =>
  caller.tenants !== '*' && caller.tenants.length === 1 ? caller.tenants[0] : undefined;

/**
 * The tenant of a request by a key (design.md §2): the key's only one, or the one that `?namespace=` names.
 * @param namespace value of the query parameter; null when it is absent
 */
export function tenantOf(caller: Tenants, namespace: string | null): TenantChoice {
  if (namespace !== null) {
    return actsFor(caller, namespace) ? { kind: 'tenant', tenant: namespace } : { kind: 'unknown' };
  }
  const tenant = onlyTenant(caller);
  if (tenant !== undefined) return { kind: 'tenant', tenant };
  return caller.tenants.length === 0 ? { kind: 'unknown' } : { kind: 'ambiguous' };
}

/**
 * The Orbiset of `{id}` in a path (design.md §2): a name in the key's only tenant, or `{namespace}.{name}` in one of
 * its tenants. Orbiset names have no dot.
 * @param given undefined: an anonymous caller, which acts for the tenant `default` only
 * @returns undefined: answer `orbiset-not-found`
 */
export function orbisetRef(id: string, given: Tenants | undefined): OrbisetRef | undefined {
  const caller = given ?? ANONYMOUS;
  const [first = '', second, ...rest] = id.split('.');
  if (rest.length > 0) return undefined;
  const ref =
    second === undefined ? { namespace: onlyTenant(caller), name: first } : { namespace: first, name: second };
  if (ref.namespace === undefined || !isLabelName(ref.name) || !actsFor(caller, ref.namespace)) return undefined;
  return { namespace: ref.namespace, name: ref.name };
}
