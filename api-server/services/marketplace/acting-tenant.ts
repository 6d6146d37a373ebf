import { tenantFor, type Tenant } from '../../http/namespace.ts';
import type { RouteRequest } from '../../http/route.ts';
import type { Listings } from '../../reputation/listings.ts';

/**
 * The tenant that publishes, or that claims an organisation (trust.md §5.5): the owner of the organisation if the key
 * acts for it, else as for every request of a tenant.
 * @param org undefined: the request names none that can exist
 */
export function actingTenant(
  request: RouteRequest,
  org: string | undefined,
  { ownerOf }: Pick<Listings, 'ownerOf'>,
): Tenant {
  const tenants = request.caller?.tenants ?? [];
  const owner = org === undefined ? undefined : ownerOf(org);
  const actsForOwner = owner !== undefined && (tenants === '*' || tenants.includes(owner));
  if (actsForOwner && request.query.get('namespace') === null) return { ok: true, tenant: owner };
  return tenantFor(request, 'namespace-not-found');
}
