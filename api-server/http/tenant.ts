import type { Caller } from '../../core/api-key/caller.ts';

/** All that counts here of who sent a request. */
type Tenants = Pick<Caller, 'tenants'>;

/** A caller without a key, where a route lets one in: standalone, whose bare manifests live there (design.md §7). */
const ANONYMOUS: Tenants = { tenants: ['default'] };

/** The tenant that a request means. */
export type TenantChoice =
  | { readonly kind: 'tenant'; readonly tenant: string }
  /** The key acts for several tenants and the request names none. */
  | { readonly kind: 'ambiguous' }
  /** Not one of the key's; answered like something that does not exist (security.md S13). */
  | { readonly kind: 'unknown' };

interface OrbisetRef {
  readonly namespace: string;
  readonly name: string;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const actsFor = (caller: Tenants, namespace: string): boolean =>
  LABEL.test(namespace) && (caller.tenants === '*' || caller.tenants.includes(namespace));

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
 * The Orbiset that `{id}` of a path means (design.md §2): a name in the key's only tenant, or `{namespace}.{name}` of one
 * of its tenants. Orbiset names have no dot.
 * @param given undefined: anonymous, who acts for the tenant `default` alone
 * @returns undefined: answer `orbiset-not-found`
 */
export function orbisetRef(id: string, given: Tenants | undefined): OrbisetRef | undefined {
  const caller = given ?? ANONYMOUS;
  const [first = '', second, ...rest] = id.split('.');
  if (rest.length > 0) return undefined;
  const ref =
    second === undefined ? { namespace: onlyTenant(caller), name: first } : { namespace: first, name: second };
  if (ref.namespace === undefined || !LABEL.test(ref.name) || !actsFor(caller, ref.namespace)) return undefined;
  return { namespace: ref.namespace, name: ref.name };
}
