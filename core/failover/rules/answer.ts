import type { EventSpec } from '../../reconcile/event-spec.ts';
import type { Decision, FailoverMemory, FailoverStatus } from '../types.ts';

export type Streaks = Pick<FailoverMemory, 'degraded' | 'trial' | 'recovered'>;

export const NO_STREAKS: Streaks = { degraded: 0, trial: 0, recovered: 0 };

/** Result of a rule that answers. */
export interface Answer {
  readonly decision: Decision;
  readonly status: FailoverStatus;
  readonly events: readonly EventSpec[];
  readonly streaks: Streaks;
}

/** An answer that keeps the active provider; every streak ends. */
export const stay = (
  status: FailoverStatus,
  rule: Extract<Decision, { readonly kind: 'stay' }>['rule'],
  why: string,
): Answer => ({ decision: { kind: 'stay', rule, why }, status, events: [], streaks: NO_STREAKS });
