import type { CompiledProvider } from '../../core/orb/compiled-orb.ts';

/** A compiled provider without secrets whose request never changes. */
export const aProvider = (name: string, change: Partial<CompiledProvider> = {}): CompiledProvider => ({
  name,
  request: {
    method: 'GET',
    headerNames: new Set(),
    secretsFor: () => [],
    secretsInUrl: [],
    render: () => ({ ok: true, request: { method: 'GET', url: `https://${name}.example/`, headers: [], body: null } }),
    seal: () => ({ ok: true, request: { method: 'GET', url: `https://${name}.example/`, headers: [], body: null } }),
    sealedUrl: `https://${name}.example/`,
    literalHost: `${name}.example`,
  },
  outputs: [],
  timeoutMs: 30_000,
  connectTimeoutMs: 1000,
  attemptTimeoutMs: undefined,
  bodyIdleMs: 5000,
  idempotent: false,
  idempotencyHeader: undefined,
  retry: { maxAttempts: 3, onStatus: new Set([500]), notExecutedStatus: new Set([429]) },
  repeats: { anywhere: true, there: false },
  followRedirects: 0,
  exposeErrorBody: false,
  maxResponseBytes: undefined,
  probe: undefined,
  ...change,
});
