import type { AttemptOutcome, RunOutcome } from '../receipt/record.ts';

/** How one exchange ended, without anything of its content. The dialer's results fit. */
export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly outputsPresent: boolean }
  | { readonly kind: 'failed'; readonly cause: 'blocked' | 'transport' | 'response' | 'timeout' | 'cancelled' };

/** Code of the problem that a run ends with; every one is a row of design.md §3's table. */
export type RunProblemCode =
  | 'provider-failed'
  | 'provider-rejected'
  | 'provider-timeout'
  | 'provider-refused-credential'
  | 'ledger-unavailable'
  | 'orbiset-suspended'
  | 'orb-suspended'
  | 'egress-stopped'
  | 'run-closed'
  | 'signing-misconfigured';

export type RunEnd =
  | { readonly outcome: 'success' }
  | { readonly outcome: Exclude<RunOutcome, 'success'>; readonly problem: RunProblemCode };

const failureOutcome = {
  blocked: 'blocked',
  transport: 'error',
  response: 'error',
  timeout: 'timeout',
  cancelled: 'cancelled',
} as const;

/** Outcome of an attempt by status (failover.md §2). */
function byStatus(status: number, outputsPresent: boolean): AttemptOutcome {
  if (status >= 200 && status < 300) return outputsPresent ? 'success' : 'error';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status < 400 || status === 408 || status === 425) return 'error';
  return 'client_error';
}

/** Outcome of one attempt, as in a receipt and in the metrics (failover.md §2). */
export const attemptOutcome = (exchange: Exchange): AttemptOutcome =>
  exchange.kind === 'answered' ? byStatus(exchange.status, exchange.outputsPresent) : failureOutcome[exchange.cause];

const REFUSALS = new Set([401, 402, 403, 429]);

/**
 * Whether the provider refused the tenant's own credential or quota: such an attempt says nothing about a shared Orb.
 * @param usedSecret the request carried a secret of the calling Orbiset
 */
export const isTenantRefusal = (exchange: Exchange, usedSecret: boolean): boolean =>
  usedSecret && exchange.kind === 'answered' && REFUSALS.has(exchange.status);

const endOf: Readonly<Record<AttemptOutcome, RunEnd>> = {
  success: { outcome: 'success' },
  error: { outcome: 'orb_error', problem: 'provider-failed' },
  rate_limited: { outcome: 'orb_error', problem: 'provider-failed' },
  blocked: { outcome: 'orb_error', problem: 'provider-failed' },
  client_error: { outcome: 'orb_error', problem: 'provider-rejected' },
  timeout: { outcome: 'timeout', problem: 'provider-timeout' },
  cancelled: { outcome: 'platform_error', problem: 'egress-stopped' },
};

/** How a run ends whose last attempt was this one (design.md §3, execute table). */
export const runEnd = (exchange: Exchange, usedSecret: boolean): RunEnd =>
  isTenantRefusal(exchange, usedSecret)
    ? { outcome: 'caller_error', problem: 'provider-refused-credential' }
    : endOf[attemptOutcome(exchange)];

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether the provider may have done its work although the run failed (failover.md §12.2): the request was sent,
 * is not safe to repeat, and no answer says that it was not executed.
 */
export function maybeExecuted(
  exchange: Exchange,
  sent: boolean,
  request: { readonly method: string; readonly idempotent: boolean },
): boolean {
  const outcome = attemptOutcome(exchange);
  const open = outcome === 'error' || outcome === 'timeout' || outcome === 'cancelled';
  return sent && open && !request.idempotent && !SAFE_METHODS.has(request.method);
}
