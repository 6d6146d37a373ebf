import type { Condition } from './conditions.ts';
import type { EventSpec } from './event-spec.ts';
import type { Outcome } from './outcome.ts';

/** The whole part of a status that one field manager owns. A member that it leaves out is removed. */
interface OwnedStatus {
  readonly conditions: readonly Condition[];
  readonly [member: string]: unknown;
}

/** What one reconcile of one object comes to: decided here, written elsewhere (operator.md B1). */
export interface Plan {
  /** Absent: what is there stays as it is. */
  readonly status?: OwnedStatus;
  /** To be recorded after the status was written. */
  readonly events: readonly EventSpec[];
  readonly outcome: Outcome;
}
