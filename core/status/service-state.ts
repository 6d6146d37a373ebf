import type { Service, ServiceState } from './service.ts';

/** Checks of each service in the order in which a round makes them, and the time within which each is in time, ms. */
const SERVICE_CHECKS = {
  runtime: { ids: ['execute'], targetMs: 1000 },
  reputation_ledger: { ids: ['receipt', 'proof', 'profile'], targetMs: 1000 },
  observable_engine: { ids: ['measured', 'loop'], targetMs: 1000 },
  ingestion: { ids: ['receive', 'read'], targetMs: 2000 },
} as const satisfies Record<Service, { readonly ids: readonly string[]; readonly targetMs: number }>;

export type CheckId = (typeof SERVICE_CHECKS)[Service]['ids'][number];

/** Why a check failed: every value that `code` may have in metrics, so their number is bounded. */
const CHECK_FAILURES = [
  'timeout',
  'unreachable',
  'authentication-unavailable',
  'refused',
  'overloaded',
  'server-error',
  'unexpected-status',
  'wrong-answer',
  'not-valid',
  'not-counted',
  'too-old',
  'not-mapped',
  'needs-failed-check',
  'internal',
] as const;

export type CheckFailure = (typeof CHECK_FAILURES)[number];

/** What a check found. One that could not be made, because what it needs is not there, is left out. */
export type CheckResult =
  | { readonly kind: 'good'; readonly id: CheckId; readonly ms: number; readonly code: 'policy-denied' | null }
  | { readonly kind: 'failed'; readonly id: CheckId; readonly ms: number; readonly code: CheckFailure }
  | { readonly kind: 'left-out'; readonly id: CheckId };

const SLOW_FACTOR = 2;

/**
 * State of a service after a round (status.md §3).
 *
 * A Kubernetes API that reviews no tokens refuses ServiceAccounts and not callers with API keys: that is half an outage,
 * also where every check met it.
 */
export function stateOfChecks(service: Service, results: readonly CheckResult[]): ServiceState {
  const made = results.filter((result) => result.kind !== 'left-out');
  const failed = made.filter((result) => result.kind === 'failed');
  if (made.length === 0) return 'unknown';
  if (failed.length === 0) {
    const limitMs = SLOW_FACTOR * SERVICE_CHECKS[service].targetMs;
    return made.some(({ ms }) => ms > limitMs) ? 'degraded_performance' : 'operational';
  }
  const direct = failed.filter(({ code }) => code !== 'needs-failed-check');
  const isReviewAlone = direct.length > 0 && direct.every(({ code }) => code === 'authentication-unavailable');
  return failed.length < made.length || isReviewAlone ? 'partial_outage' : 'major_outage';
}
