import type { Caller } from '../../core/api-key/caller.ts';

/**
 * Whether a caller may act on what belongs to other tenants (security.md §6.2): `admin` is a right over the platform, so
 * it counts for a key whose tenants hold the platform namespace only. A ServiceAccount is asked for it in that namespace,
 * by routes with the scope `admin` or with `admin: 'maybe'`.
 */
export const isPlatformAdmin = (caller: Caller | undefined, platformNamespace: string): boolean =>
  caller?.isPlatformAdmin === true ||
  (caller !== undefined &&
    caller.scopes.has('admin') &&
    (caller.tenants === '*' || caller.tenants.includes(platformNamespace)));

/** Why another caller may not act for the platform. */
export const PLATFORM_ONLY =
  'This needs a key with the scope admin in the platform namespace, or a ServiceAccount with that right there.';
