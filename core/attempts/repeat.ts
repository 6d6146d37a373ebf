import { attemptOutcome, type ProviderExchange } from './classify.ts';

/** `retry` of an execution, with defaults filled in. */
export interface RetryRules {
  /** Attempts at all providers together, 1–3. */
  readonly maxAttempts: number;
  /** Statuses after which an attempt may be repeated. */
  readonly onStatus: ReadonlySet<number>;
  /** Statuses by which the provider says that it did not execute the request. */
  readonly notExecutedStatus: ReadonlySet<number>;
}

/** Where a request may be sent again when it is unknown whether it was executed. */
export interface RepeatPolicy {
  /** At any provider: GET, HEAD, OPTIONS, or `idempotent: true`. */
  readonly anywhere: boolean;
  /** At the provider that got it before: PUT, DELETE, or with an idempotency key. */
  readonly there: boolean;
}

/** Kind of a failed attempt: a row of the repeat table (failover.md §12.2). */
export type Failure =
  /** No byte of the request reached the provider. */
  | 'unsent'
  /** The provider said that it did not execute the request. */
  | 'not-executed'
  /** The provider may have executed the request. */
  | 'uncertain'
  /** The attempt must not be repeated: its status is not in the list, or the platform ended it. */
  | 'final';

/** How an attempt ended. */
export interface AttemptEnd {
  readonly exchange: ProviderExchange;
  /** Request headers may have reached the provider. */
  readonly sent: boolean;
  /** Status of the answer, also when its body failed afterwards. */
  readonly status: number | null;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const REPLACING_METHODS: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

/** @param execution `method` as sent; the header that takes the key, if any */
export const repeatPolicyOf = (execution: {
  readonly method: string;
  readonly idempotent: boolean;
  readonly idempotencyHeader: string | undefined;
}): RepeatPolicy => ({
  anywhere: execution.idempotent || SAFE_METHODS.has(execution.method),
  there: execution.idempotencyHeader !== undefined || REPLACING_METHODS.has(execution.method),
});

function failureOfStatus(status: number, rules: RetryRules): Failure {
  if (rules.notExecutedStatus.has(status)) return 'not-executed';
  // A 2xx comes here only when its outputs are missing. A redirect does not say whether the request was executed.
  return status < 400 || rules.onStatus.has(status) ? 'uncertain' : 'final';
}

/** The kind of a failed attempt. */
export function failureOf({ exchange, sent, status }: AttemptEnd, rules: RetryRules): Failure {
  if (exchange.kind === 'answered') return failureOfStatus(exchange.status, rules);
  if (exchange.cause === 'cancelled' || exchange.cause === 'exhausted') return 'final';
  if (!sent) return 'unsent';
  return status !== null && rules.notExecutedStatus.has(status) ? 'not-executed' : 'uncertain';
}

/**
 * Whether the provider may have executed a request although the attempt failed. That holds for a request that was sent
 * and is not safe to repeat, unless the status says that it was not executed. A cut answer, a 5xx that is never
 * repeated and a stop by the platform count too.
 */
export function maybeExecuted(ended: AttemptEnd, repeats: RepeatPolicy, rules: RetryRules): boolean {
  const { exchange, sent, status } = ended;
  if (!sent || repeats.anywhere) return false;
  if (status !== null && rules.notExecutedStatus.has(status)) return false;
  const outcome = attemptOutcome(exchange);
  return outcome !== 'success' && outcome !== 'client_error';
}
