import type { EventSpec } from '../../reconcile/event-spec.ts';
import type { Decision, FailoverMemory, FailoverStatus } from '../types.ts';

export type Streaks = Pick<FailoverMemory, 'degraded' | 'trial' | 'recovered'>;

export const NO_STREAKS: Streaks = { degraded: 0, trial: 0, recovered: 0 };

/** What a rule that answers comes to. */
export interface Answer {
  readonly decision: Decision;
  readonly status: FailoverStatus;
  readonly events: readonly EventSpec[];
  readonly streaks: Streaks;
}

/** Nothing changes, and no streak goes on. */
export const stay = (
  status: FailoverStatus,
  rule: Extract<Decision, { readonly kind: 'stay' }>['rule'],
  why: string,
): Answer => ({ decision: { kind: 'stay', rule, why }, status, events: [], streaks: NO_STREAKS });
