import type { Severity } from '../mapping/signal.ts';
import type { Target } from './match-entity.ts';
import type { Member } from './episodes.ts';

export const INCIDENT_STATUSES = ['unconfirmed', 'open', 'acknowledged', 'resolved', 'withdrawn'] as const;
type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
export type Impact = 'minor' | 'major' | 'critical';

/** What people did, each at its newest time; null: never. Milliseconds since the epoch. */
export interface Actions {
  readonly acknowledgedAt: number | null;
  readonly resolvedAt: number | null;
  readonly withdrawnAt: number | null;
  /** Until then signals add no updates, and the incident is not among those of its Orb. */
  readonly mutedUntil: number | null;
}

export const NO_ACTIONS: Actions = { acknowledgedAt: null, resolvedAt: null, withdrawnAt: null, mutedUntil: null };

/** What receipts of a window say about an Orb; shares are basis points. */
interface ReceiptCounts {
  readonly windowRuns: number;
  readonly errorBp: number;
  readonly baselineErrorBp: number;
}

/** The newest entry of the log about an incident. */
export interface LoggedEvent {
  readonly event: 'opened' | 'updated' | 'resolved' | 'withdrawn';
  readonly impact: Impact;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What receipts said at the last count. */
export interface Corroboration {
  readonly countedAt: number;
  readonly counts: ReceiptCounts;
  /** When it was entered in the log: it met every condition then. Null: it is not in the log. */
  readonly enteredAt: number | null;
  readonly logged: LoggedEvent | null;
}

/** An incident as the ledger keeps it. Times are milliseconds since the epoch. */
export interface Incident {
  readonly incidentId: string;
  readonly tenant: string;
  readonly groupKey: string;
  readonly target: Target;
  /** Host of the Orb's provider when it opened, or of the target; null: unknown. */
  readonly host: string | null;
  readonly fingerprint: string;
  readonly title: string;
  /** `pending`: severe enough, and not yet for long enough. It is shown nowhere. */
  readonly status: IncidentStatus | 'pending';
  readonly severity: Severity;
  readonly impact: Impact;
  /** What confirms it beside the trust of its sources. */
  readonly confirmedBy: 'source' | 'receipts' | null;
  readonly flapping: boolean;
  /** The incident of the provider that stands for this one. */
  readonly parentId: string | null;
  readonly openedAt: number;
  readonly acknowledgedAt: number | null;
  readonly resolvedAt: number | null;
  /** A person closed an earlier incident of the group at this time: what had begun by then is closed. */
  readonly floor: number | null;
  /** When time alone may change it; null: never. */
  readonly dueAt: number | null;
  /** When receipts are counted for it next; null: never. */
  readonly countAt: number | null;
  /** Empty: an outage of a provider, which follows the incidents that it stands for. */
  readonly members: readonly Member[];
  readonly actions: Actions;
  readonly corroboration: Corroboration | null;
}

/** A line of an incident's history. */
export interface IncidentUpdate {
  readonly at: number;
  /** `signal`, `time`, `receipts`, or the caller. */
  readonly by: string;
  readonly text: string;
}

/** An incident after a step, with the lines that the step adds to its history. */
export interface ChangedIncident {
  readonly incident: Incident;
  readonly updates: readonly IncidentUpdate[];
}

/** Whether it is shown as a present problem. */
export const isActive = ({ status }: Pick<Incident, 'status'>): boolean =>
  status === 'unconfirmed' || status === 'open' || status === 'acknowledged';

export const isMuted = ({ actions }: Pick<Incident, 'actions'>, now: number): boolean =>
  actions.mutedUntil !== null && actions.mutedUntil > now;

/** Impact of an incident without receipts. */
export function impactOf(severity: Severity): Impact {
  if (severity === 'critical') return 'critical';
  return severity === 'high' ? 'major' : 'minor';
}

/** A problem within a tenant: what it is about, and its fingerprint. The text is the same for all sources that name both. */
export function targetKey(target: Target): string {
  switch (target.kind) {
    case 'orb':
      return `orb:${target.orb}`;
    case 'provider':
      return `provider:${target.host}`;
    case 'service':
      return `service:${target.service}`;
    default:
      return target satisfies never;
  }
}
