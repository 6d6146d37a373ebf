import type { AttemptOutcome, RunOutcome } from '../receipt/record.ts';

/** How one exchange ended, without its content. Results of the dialer have this type. */
export type ProviderExchange =
  | { readonly kind: 'answered'; readonly status: number; readonly outputsPresent: boolean }
  | {
      readonly kind: 'failed';
      readonly cause: 'blocked' | 'transport' | 'response' | 'timeout' | 'cancelled' | 'exhausted';
    };

/** Code of the problem that a run ends with; each code is a row of design.md §3's table. */
export type RunProblemCode =
  | 'provider-failed'
  | 'provider-rejected'
  | 'provider-timeout'
  | 'provider-refused-credential'
  | 'provider-rate-limited'
  | 'providers-unavailable'
  | 'ledger-unavailable'
  | 'orbiset-suspended'
  | 'orb-suspended'
  | 'egress-stopped'
  | 'overloaded'
  | 'run-closed'
  | 'policy-denied'
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
  // As after a stop by the platform: the provider was not part of it.
  exhausted: 'cancelled',
} as const;

/** Outcome of an attempt by status (failover.md §2). */
function byStatus(status: number, outputsPresent: boolean): AttemptOutcome {
  if (status >= 200 && status < 300) return outputsPresent ? 'success' : 'error';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status < 400 || status === 408 || status === 425) return 'error';
  return 'client_error';
}

/** Outcome of one attempt, as in a receipt and in the metrics (failover.md §2). */
export const attemptOutcome = (exchange: ProviderExchange): AttemptOutcome =>
  exchange.kind === 'answered' ? byStatus(exchange.status, exchange.outputsPresent) : failureOutcome[exchange.cause];

const REFUSALS = new Set([401, 402, 403, 429]);

/**
 * Whether the provider refused the tenant's own credential or quota. Such an attempt is no evidence about a shared Orb.
 * @param usedSecret the request carried a secret of the calling Orbiset
 */
export const isTenantRefusal = (exchange: ProviderExchange, usedSecret: boolean): boolean =>
  usedSecret && exchange.kind === 'answered' && REFUSALS.has(exchange.status);

const endOf: Readonly<Record<AttemptOutcome, RunEnd>> = {
  success: { outcome: 'success' },
  error: { outcome: 'orb_error', problem: 'provider-failed' },
  rate_limited: { outcome: 'orb_error', problem: 'provider-rate-limited' },
  blocked: { outcome: 'orb_error', problem: 'provider-failed' },
  client_error: { outcome: 'orb_error', problem: 'provider-rejected' },
  timeout: { outcome: 'timeout', problem: 'provider-timeout' },
  cancelled: { outcome: 'platform_error', problem: 'egress-stopped' },
};

const isRateLimit = (exchange: ProviderExchange): boolean => attemptOutcome(exchange) === 'rate_limited';

const isExhausted = (exchange: ProviderExchange): boolean =>
  exchange.kind === 'failed' && exchange.cause === 'exhausted';

/** The end of a run that this attempt decides (design.md §3, execute table). */
export function runEnd(exchange: ProviderExchange, usedSecret: boolean): RunEnd {
  if (isExhausted(exchange)) return { outcome: 'platform_error', problem: 'overloaded' };
  if (!isTenantRefusal(exchange, usedSecret)) return endOf[attemptOutcome(exchange)];
  const problem = isRateLimit(exchange) ? 'provider-rate-limited' : 'provider-refused-credential';
  return { outcome: 'caller_error', problem };
}

/** The fields of an attempt that decide how its run ended. */
export interface EndedAttempt {
  readonly provider: string;
  readonly exchange: ProviderExchange;
  readonly usedSecret: boolean;
}

const answeredByOther = <T extends EndedAttempt>(attempts: readonly T[], limited: T): T | undefined =>
  attempts.findLast(
    ({ provider, exchange }) => provider !== limited.provider && exchange.kind === 'answered' && !isRateLimit(exchange),
  );

/**
 * The attempt that decides how a run ended: the last one. Exception: a 429 decides when no other provider answered, and
 * only then (failover.md §12.2).
 * @returns undefined when there are no attempts
 */
export function decisiveAttempt<T extends EndedAttempt>(attempts: readonly T[]): T | undefined {
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  if (last.exchange.kind === 'answered' && !isRateLimit(last.exchange)) return last;
  const limited = attempts.findLast(({ exchange }) => isRateLimit(exchange));
  return limited === undefined ? last : (answeredByOther(attempts, limited) ?? limited);
}

/** How a run ends that made no attempt. `cut`: its deadline or a kill switch came first. */
export const endWithoutAttempt: Readonly<Record<'unavailable' | 'quota' | 'cut' | 'failed', RunEnd>> = {
  unavailable: { outcome: 'orb_error', problem: 'providers-unavailable' },
  quota: { outcome: 'caller_error', problem: 'provider-rate-limited' },
  cut: { outcome: 'timeout', problem: 'provider-timeout' },
  failed: { outcome: 'orb_error', problem: 'provider-failed' },
};
