import type { MetricsSnapshot } from '../../core/failover/metrics.ts';

/** An Orb whose providers are to be compared. */
export interface OrbToMeasure {
  readonly namespace: string;
  readonly orbId: string;
  /** Names with an execution. */
  readonly providers: readonly string[];
  /** `latency.quantile`: 0.5, 0.9, 0.95 or 0.99. */
  readonly quantile: number;
}

/** Where figures come from, as a swap receipt names it (failover.md §10). */
export interface MetricsOrigin {
  readonly source: 'prometheus' | 'process';
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  /** `sha256:` and hex, of the query as it was sent; null without one. */
  readonly querySha256: string | null;
  /** Full texts of the expressions for a quantile and a window, by their name in a receipt. */
  readonly promql: (quantile: number, window: string) => Readonly<Record<string, string>>;
}

/** One look at all Orbs. */
export interface Measured {
  /** Of an Orb that was asked for. */
  readonly snapshot: (orb: Pick<OrbToMeasure, 'namespace' | 'orbId'>) => MetricsSnapshot;
  /** Null when the look failed. */
  readonly origin: MetricsOrigin | null;
  /** Ms: age of the oldest newest sample of an Orb; Infinity when nothing is known. */
  readonly oldestMs: number;
}

/**
 * What the swap loop decides on. Never throws and never rejects: a source that fails answers `unusable` for every Orb, with
 * the moment since when. One call at a time.
 */
export interface MetricsSource {
  readonly look: (orbs: readonly OrbToMeasure[], signal: AbortSignal) => Promise<Measured>;
}
