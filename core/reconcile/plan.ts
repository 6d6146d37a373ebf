import type { Condition } from './conditions.ts';
import type { EventSpec } from './event-spec.ts';
import type { Outcome } from './outcome.ts';

/** The whole part of a status that one field manager owns. A member that is left out is removed. */
interface OwnedStatus {
  readonly conditions: readonly Condition[];
  readonly [member: string]: unknown;
}

/** Result of one reconcile of one object: decided here, written elsewhere (operator.md B1). */
export interface Plan {
  /** Absent: the current status stays. */
  readonly status?: OwnedStatus;
  /** Events to record after the status was written. */
  readonly events: readonly EventSpec[];
  readonly outcome: Outcome;
}

/** A plan that always says what the status is to be. */
export interface StatusPlan extends Plan {
  readonly status: OwnedStatus;
}
