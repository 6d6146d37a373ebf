/** Every scope that a key can have (security.md §6.2). */
export const SCOPES = [
  'orbs:execute',
  'receipts:read',
  'receipts:erase',
  'providers:read',
  'providers:swap',
  'reputation:read',
  'marketplace:read',
  'marketplace:publish',
  'policies:read',
  'policies:write',
  'policies:simulate',
  'policies:approve',
  'decisions:read',
  'ingest:read',
  'ingest:admin',
  'incidents:write',
  'admin',
] as const;

/** One right of an API key; every route that is not public names exactly one. */
export type Scope = (typeof SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

/** Whether a text is a `Scope`. Callers refuse an unknown scope and never ignore it. */
export const isScope = (text: string): text is Scope => KNOWN.has(text);
