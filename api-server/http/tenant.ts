import type { Caller } from '../../core/api-key/caller.ts';

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

const actsFor = (caller: Caller, namespace: string): boolean =>
  LABEL.test(namespace) && (caller.tenants === '*' || caller.tenants.includes(namespace));

const onlyTenant = (caller: Caller): string | undefined =>
  caller.tenants !== '*' && caller.tenants.length === 1 ? caller.tenants[0] : undefined;

/**
 * The tenant of a request by a key (design.md §2): the key's only one, or the one that `?namespace=` names.
 * @param namespace value of the query parameter; null when it is absent
 */
export function tenantOf(caller: Caller, namespace: string | null): TenantChoice {
  if (namespace !== null) {
    return actsFor(caller, namespace) ? { kind: 'tenant', tenant: namespace } : { kind: 'unknown' };
  }
  const tenant = onlyTenant(caller);
  if (tenant !== undefined) return { kind: 'tenant', tenant };
  return caller.tenants.length === 0 ? { kind: 'unknown' } : { kind: 'ambiguous' };
}

/** Where an anonymous caller's bare Orbiset names live; only standalone lets such callers in (design.md §7). */
const ANONYMOUS_TENANT = 'default';

/** Tenant of a bare name, if it has one. */
const bareTenant = (caller: Caller | undefined): string | undefined =>
  caller === undefined ? ANONYMOUS_TENANT : onlyTenant(caller);

/**
 * The Orbiset that `{id}` of a path means (design.md §2): a name in the key's only tenant, or `{namespace}.{name}` of one
 * of its tenants. Orbiset names have no dot.
 * @param caller undefined: anonymous, where a route allows that; may name every Orbiset and learns of none (the handler hides them)
 * @returns undefined: answer `orbiset-not-found`
 */
export function orbisetRef(id: string, caller: Caller | undefined): OrbisetRef | undefined {
  const [first = '', second, ...rest] = id.split('.');
  if (rest.length > 0) return undefined;
  const ref =
    second === undefined ? { namespace: bareTenant(caller), name: first } : { namespace: first, name: second };
  if (ref.namespace === undefined || !LABEL.test(ref.name)) return undefined;
  const known = caller === undefined ? LABEL.test(ref.namespace) : actsFor(caller, ref.namespace);
  return known ? { namespace: ref.namespace, name: ref.name } : undefined;
}
