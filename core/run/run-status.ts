import type { RunOutcome } from '../receipt/record.ts';

/** Status of a run as callers see it (trust.md §1.1). */
export const RUN_STATUSES = ['completed', 'failed', 'timed_out', 'denied'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The status that belongs to an outcome. */
export const runStatusOf: Readonly<Record<RunOutcome, RunStatus>> = {
  success: 'completed',
  orb_error: 'failed',
  timeout: 'timed_out',
  policy_denied: 'denied',
  caller_error: 'failed',
  platform_error: 'failed',
};
