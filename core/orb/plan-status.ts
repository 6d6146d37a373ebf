import type { Outcome } from '../reconcile/outcome.ts';
import type { StatusPlan } from '../reconcile/plan.ts';
import { FAILOVER_PART, type FailoverPlan } from './plan-failover.ts';
import { VERDICT_PART } from './plan-orb.ts';

/** The part of an Orb's status that the operator owns, written by one manager in one apply (security.md §6.1). */
export const ORB_STATUS_PART = {
  members: [...VERDICT_PART.members, ...FAILOVER_PART.members],
  conditions: [...VERDICT_PART.conditions, ...FAILOVER_PART.conditions],
} as const;

/** The verdict may need a person while a pin still ends by itself. */
function joinedOutcome(verdict: Outcome, failover: Outcome): Outcome {
  if (failover.kind !== 'requeue-after') return verdict;
  return verdict.kind === 'stalled' ? { ...verdict, ms: failover.ms } : failover;
}

/**
 * Joins the verdict on an Orb and its failover state into one status and outcome. It holds no Events: which of them are
 * news depends on the part that changes.
 */
export function joinPlans(verdict: StatusPlan, failover: FailoverPlan): Omit<StatusPlan, 'events'> {
  const conditions = [verdict, failover].flatMap(({ status }) => status.conditions);
  return {
    status: {
      ...verdict.status,
      ...failover.status,
      conditions: conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1)),
    },
    outcome: joinedOutcome(verdict.outcome, failover.outcome),
  };
}
