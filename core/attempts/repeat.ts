import { attemptOutcome, type Exchange } from '../run/classify.ts';

/** `retry` of an execution with its defaults (failover.md §12.2). */
export interface RetryRules {
  /** Attempts at all providers together, 1–3. */
  readonly maxAttempts: number;
  /** Statuses after which an attempt may be repeated. */
  readonly onStatus: ReadonlySet<number>;
  /** Statuses that say that the provider did nothing. */
  readonly notExecutedStatus: ReadonlySet<number>;
}

/** Where a request may be sent again of which nobody knows whether it did its work. */
export interface Repeats {
  /** At any provider: GET, HEAD, OPTIONS, or `idempotent: true`. */
  readonly anywhere: boolean;
  /** At the provider that has it already: PUT, DELETE, or with an idempotency key. */
  readonly there: boolean;
}

/** What an attempt that was no success left behind: a row of the repeat table (failover.md §12.2). */
export type Failure =
  /** Not a byte of it reached the provider. */
  | 'unsent'
  /** The provider says that it did nothing. */
  | 'not-executed'
  /** It may have done its work. */
  | 'uncertain'
  /** The answer is an answer, or its status is not to be repeated. */
  | 'final';

/** An attempt as it ended. */
export interface Ended {
  readonly exchange: Exchange;
  /** Request headers may have reached the provider. */
  readonly sent: boolean;
  /** Also that of an answer whose body then failed. */
  readonly status: number | null;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const REPLACING_METHODS: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

/** @param execution `method` as sent; the header that takes the key, if any */
export const repeatsOf = (execution: {
  readonly method: string;
  readonly idempotent: boolean;
  readonly idempotencyHeader: string | undefined;
}): Repeats => ({
  anywhere: execution.idempotent || SAFE_METHODS.has(execution.method),
  there: execution.idempotencyHeader !== undefined || REPLACING_METHODS.has(execution.method),
});

function failureOfStatus(status: number, rules: RetryRules): Failure {
  if (rules.notExecutedStatus.has(status)) return 'not-executed';
  // A 2xx is here for its outputs only; a redirect says nothing about the work.
  return status < 400 || rules.onStatus.has(status) ? 'uncertain' : 'final';
}

/** The row of an attempt that was no success. */
export function failureOf({ exchange, sent, status }: Ended, rules: RetryRules): Failure {
  if (exchange.kind === 'answered') return failureOfStatus(exchange.status, rules);
  if (exchange.cause === 'cancelled') return 'final';
  if (!sent) return 'unsent';
  return status !== null && rules.notExecutedStatus.has(status) ? 'not-executed' : 'uncertain';
}

/**
 * Whether the provider may have done its work although the attempt failed: it was sent, matters if done twice, and no
 * answer says that nothing was done. A cut answer, a 5xx that is never repeated and a stop by the platform count too.
 */
export function maybeExecuted(ended: Ended, repeats: Repeats, rules: RetryRules): boolean {
  const { exchange, sent, status } = ended;
  if (!sent || repeats.anywhere) return false;
  if (status !== null && rules.notExecutedStatus.has(status)) return false;
  const outcome = attemptOutcome(exchange);
  return outcome !== 'success' && outcome !== 'client_error';
}
