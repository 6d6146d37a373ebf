import type { Impact } from '../../core/status/round-incidents.ts';
import type { Service } from '../../core/status/service.ts';

/** What is said about an incident at one time. */
export interface IncidentUpdate {
  /** Ms since epoch. */
  readonly at: number;
  readonly status: PublicIncident['status'];
  readonly body: string;
}

/** An incident of the platform as everybody sees it. Times are ms since epoch. */
export interface PublicIncident {
  /** `inc_…`. */
  readonly id: string;
  readonly title: string;
  readonly status: 'investigating' | 'identified' | 'monitoring' | 'resolved';
  readonly impact: Impact;
  readonly services: readonly Service[];
  readonly startedAt: number;
  readonly resolvedAt: number | null;
  /** Newest first. */
  readonly updates: readonly IncidentUpdate[];
}
