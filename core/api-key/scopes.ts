/** A right in the group `orbs.dev`. Subresources exist for RBAC only. */
export interface Rights {
  /** All of these verbs are needed. */
  readonly verbs: readonly string[];
  /** Plural of a kind. */
  readonly resource: string;
  readonly subresource?: string;
}

/** What is to be known of one scope. */
export interface ScopeRow extends Rights {
  /** What a caller with the scope may do, for the reader of the reference. */
  readonly allows: string;
  /** The lowest of Kubernetes' roles to which the chart adds the right; `none`: it is granted by name. */
  readonly role: 'view' | 'edit' | 'admin' | 'none';
}

/**
 * Every scope that a key can have. A ServiceAccount has no scopes: it needs the right beside the scope (security.md
 * §6.2). The chart's rules for subresources and the reference are generated from this table.
 */
export const SCOPE_TABLE = {
  'orbs:execute': {
    allows: 'execute Orbs',
    verbs: ['create'],
    resource: 'orbisets',
    subresource: 'execute',
    role: 'edit',
  },
  'receipts:read': {
    allows: 'read receipts, and the manifests that they name',
    verbs: ['get'],
    resource: 'orbisets',
    subresource: 'receipts',
    role: 'view',
  },
  'receipts:erase': {
    allows: 'erase what receipts keep of inputs and outputs',
    verbs: ['delete'],
    resource: 'orbisets',
    subresource: 'receipts',
    role: 'admin',
  },
  'providers:read': {
    allows: 'read the status of the providers of an Orb',
    verbs: ['get'],
    resource: 'orbs',
    subresource: 'swap',
    role: 'view',
  },
  'providers:swap': {
    allows: 'swap and pin the provider of an Orb',
    verbs: ['create'],
    resource: 'orbs',
    subresource: 'swap',
    role: 'edit',
  },
  'reputation:read': {
    allows: 'read the reputation of published Orbs',
    verbs: ['get'],
    resource: 'orbpublications',
    role: 'view',
  },
  'marketplace:read': {
    allows: 'find published Orbs',
    verbs: ['list'],
    resource: 'orbpublications',
    role: 'view',
  },
  'marketplace:publish': {
    allows: 'publish Orbs',
    verbs: ['create', 'patch'],
    resource: 'orbpublications',
    role: 'edit',
  },
  'policies:read': {
    allows: 'read policies',
    verbs: ['get', 'list'],
    resource: 'orbpolicies',
    role: 'view',
  },
  'policies:write': {
    allows: 'create, change and delete policies',
    verbs: ['create', 'patch', 'delete'],
    resource: 'orbpolicies',
    role: 'admin',
  },
  'policies:simulate': {
    allows: 'try what a policy would decide',
    verbs: ['create'],
    resource: 'orbpolicies',
    subresource: 'simulate',
    role: 'edit',
  },
  'policies:approve': {
    allows: 'approve a change that a policy holds back',
    verbs: ['create'],
    resource: 'orbpolicies',
    subresource: 'approve',
    role: 'admin',
  },
  'decisions:read': {
    allows: 'read the decisions of policies',
    verbs: ['get'],
    resource: 'orbpolicies',
    subresource: 'decisions',
    role: 'view',
  },
  'ingest:read': {
    allows: 'read the signals of signal sources',
    verbs: ['get'],
    resource: 'orbsignalsources',
    subresource: 'signals',
    role: 'view',
  },
  'ingest:admin': {
    allows: 'change the signals of signal sources',
    verbs: ['update'],
    resource: 'orbsignalsources',
    subresource: 'signals',
    role: 'admin',
  },
  'incidents:write': {
    allows: 'open, change and close incidents',
    verbs: ['update'],
    resource: 'orbsignalsources',
    subresource: 'incidents',
    role: 'admin',
  },
  'status:report': {
    allows: 'tell what a prober of the platform found',
    verbs: ['create'],
    resource: 'orbisets',
    subresource: 'status-rounds',
    role: 'none',
  },
  admin: {
    allows: 'operate the platform',
    verbs: ['*'],
    resource: 'orbisets',
    subresource: 'admin',
    role: 'none',
  },
} as const satisfies Readonly<Record<string, ScopeRow>>;

/** One right of an API key; every route that is not public names exactly one. */
export type Scope = keyof typeof SCOPE_TABLE;

/** Whether a text is a `Scope`. Callers refuse an unknown scope and never ignore it. */
export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPE_TABLE, text);

/** The names of all scopes, in the order of the table. */
export const SCOPES: readonly Scope[] = Object.keys(SCOPE_TABLE).filter(isScope);
