import type { Scope } from '../../core/api-key/scopes.ts';

/** The rights that a ServiceAccount needs for one scope. The subresources exist for RBAC only. */
export interface Rights {
  /** All of these verbs are needed. */
  readonly verbs: readonly string[];
  readonly resource: string;
  readonly subresource?: string;
}

/** A ServiceAccount has no scopes: these rights in the group `orbs.dev` are checked instead (security.md §6.2). */
export const SCOPE_RIGHTS = {
  'orbs:execute': { verbs: ['create'], resource: 'orbisets', subresource: 'execute' },
  'receipts:read': { verbs: ['get'], resource: 'orbisets', subresource: 'receipts' },
  'receipts:erase': { verbs: ['delete'], resource: 'orbisets', subresource: 'receipts' },
  'providers:read': { verbs: ['get'], resource: 'orbs', subresource: 'swap' },
  'providers:swap': { verbs: ['create'], resource: 'orbs', subresource: 'swap' },
  'reputation:read': { verbs: ['get'], resource: 'orbpublications' },
  'marketplace:read': { verbs: ['list'], resource: 'orbpublications' },
  'marketplace:publish': { verbs: ['create', 'patch'], resource: 'orbpublications' },
  'policies:read': { verbs: ['get', 'list'], resource: 'orbpolicies' },
  'policies:write': { verbs: ['create', 'patch', 'delete'], resource: 'orbpolicies' },
  'policies:simulate': { verbs: ['create'], resource: 'orbpolicies', subresource: 'simulate' },
  'policies:approve': { verbs: ['create'], resource: 'orbpolicies', subresource: 'approve' },
  'decisions:read': { verbs: ['get'], resource: 'orbpolicies', subresource: 'decisions' },
  'ingest:read': { verbs: ['get'], resource: 'orbsignalsources', subresource: 'signals' },
  'ingest:admin': { verbs: ['update'], resource: 'orbsignalsources', subresource: 'signals' },
  'incidents:write': { verbs: ['update'], resource: 'orbsignalsources', subresource: 'incidents' },
  admin: { verbs: ['*'], resource: 'orbisets', subresource: 'admin' },
} as const satisfies Readonly<Record<Scope, Rights>>;
