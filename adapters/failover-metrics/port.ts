import type { MetricsSnapshot } from '../../core/failover/metrics.ts';

/** An Orb whose providers are to be compared. */
export interface OrbToMeasure {
  readonly namespace: string;
  readonly orbId: string;
  /** Names of providers that have an execution. */
  readonly providers: readonly string[];
  /** `latency.quantile`: 0.5, 0.9, 0.95 or 0.99. */
  readonly quantile: number;
}

/** The origin of metrics, as a swap receipt names it (failover.md §10). */
export interface MetricsOrigin {
  readonly source: 'prometheus' | 'process';
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  /** `sha256:` and hex, of the query as it was sent; null when no query was sent. */
  readonly querySha256: string | null;
  /** Full texts of the expressions for a quantile and a window, by their name in a receipt. */
  readonly promql: (quantile: number, window: string) => Readonly<Record<string, string>>;
}

/** Metrics of one evaluation of all Orbs. */
export interface Measurement {
  /** Metrics of an Orb that `measure` was given. */
  readonly snapshot: (orb: Pick<OrbToMeasure, 'namespace' | 'orbId'>) => MetricsSnapshot;
  /** Null when the evaluation failed. */
  readonly origin: MetricsOrigin | null;
  /** Ms. Each Orb has a newest sample; this is the age of the oldest of them. Infinity when there are no samples. */
  readonly oldestMs: number;
}

/**
 * Metrics for the decisions of the swap loop. Never throws and never rejects: a source that fails answers `unusable`
 * for every Orb, with the time when the failure began. One call at a time.
 */
export interface MetricsSource {
  readonly measure: (orbs: readonly OrbToMeasure[], signal: AbortSignal) => Promise<Measurement>;
}
