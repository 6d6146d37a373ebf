/** What a signal is about. */
export type SignalKind = 'alert' | 'error' | 'uptime' | 'incident' | 'analytics' | 'change';
/** Every status, in one vocabulary for all vendors. */
export type SignalStatus = 'firing' | 'acknowledged' | 'resolved' | 'suppressed' | 'info';
/** From the worst to the least. */
export const SEVERITIES = ['critical', 'high', 'warning', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A measurement, as texts of the vendor. */
export interface Metric {
  readonly name: string;
  readonly value: string;
  readonly unit: string | null;
  readonly threshold: string | null;
}

/** One event of a payload, before it has an id. Texts are cut; times are milliseconds since the epoch. */
export interface EventDraft {
  readonly kind: SignalKind;
  readonly status: SignalStatus;
  readonly severity: Severity;
  readonly title: string;
  readonly description: string;
  /** Names the problem within its source. */
  readonly fingerprint: string;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** When it happened, by the vendor. */
  readonly occurredAt: number | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of what it is about; one may be an Orb's id. */
  readonly names: readonly string[];
  /** Address of the event at the vendor. Text: it is never fetched. */
  readonly link: string | null;
  /** Addresses of a runbook and of a dashboard. Texts as well. */
  readonly runbook: string | null;
  readonly dashboard: string | null;
  /** The measurement that the vendor judged; null: it gives none. */
  readonly metric: Metric | null;
}

/** Why a delivery could not be used (ingestion.md §3). */
type DeadLetterReason = 'bad_json' | 'schema' | 'mapping_error' | 'no_entity' | 'ambiguous_entity' | 'limits';

export interface DeadLetter {
  readonly reason: DeadLetterReason;
  /** JSON Pointer: into the payload for `bad_json`, `schema` and `limits`, else into the source. */
  readonly pointer: string;
}
