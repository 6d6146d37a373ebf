/** A value of a metrics source. An unknown value is neither 0 nor infinite (failover.md §3.2). */
export type Reading =
  | { readonly kind: 'ok'; readonly value: number }
  | { readonly kind: 'none'; readonly why: 'absent' | 'nan' | 'infinite' | 'multiple-series' };

/** Windows over which traffic is measured, ascending. */
export const WINDOWS = ['2m', '5m', '10m'] as const;
export type WindowName = (typeof WINDOWS)[number];

/** Traffic of one provider in one window. Latencies in ms; counts are estimates of the source, so not whole. */
export interface WindowMetrics {
  /** Attempts with a latency: `success` and `timeout`. */
  readonly n: number;
  readonly p50: Reading;
  /** Latency at `latency.quantile` of the Orb. */
  readonly pq: Reading;
  /** Attempts except `client_error` and `cancelled`. */
  readonly attempts: number;
  readonly bad: number;
}

export type BreakerState = 'closed' | 'half_open' | 'open';

/** Metrics of one provider at one moment (failover.md §3.1). Latencies in ms. */
export interface ProviderMetrics {
  readonly windows: Readonly<Record<WindowName, WindowMetrics>>;
  /** Latency at `latency.quantile`, over the hour that ended 5 minutes ago. */
  readonly base: Reading;
  readonly baseN: number;
  readonly probe: {
    readonly p50: Reading;
    /** Probes over 5 minutes. */
    readonly n: number;
    readonly ok: number;
    /** Good probes in a row, up to now. */
    readonly streak: number;
    /** Ms since epoch. */
    readonly lastAt: number | null;
  };
  readonly transportErrors2m: number;
  readonly successes2m: number;
  /** The worst state of all processes. */
  readonly breaker: BreakerState;
}

/** Why metrics can't be used for decisions. */
export type UnusableReason = 'timeout' | 'http' | 'parse' | 'warnings' | 'empty' | 'stale' | 'clock' | 'active-nan';

export type MetricsSnapshot =
  | {
      readonly state: 'fresh';
      /** Time of the source, ms since epoch. */
      readonly evaluatedAt: number;
      /** Age of the newest sample of this Orb. */
      readonly ageMs: number;
      readonly providers: Readonly<Record<string, ProviderMetrics>>;
    }
  | {
      readonly state: 'unusable';
      readonly why: UnusableReason;
      /** Start of the unbroken row of failed queries, ms since epoch. */
      readonly since: number;
    };
