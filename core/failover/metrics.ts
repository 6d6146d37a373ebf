/** A figure of a metrics source. Unknown is neither 0 nor infinite (failover.md §3.2). */
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
  /** At `latency.quantile` of the Orb. */
  readonly pq: Reading;
  /** Attempts but for `client_error` and `cancelled`. */
  readonly attempts: number;
  readonly bad: number;
}

export type BreakerState = 'closed' | 'half_open' | 'open';

/** What is known of one provider at one moment (failover.md §3.1). Latencies in ms. */
export interface ProviderMetrics {
  readonly windows: Readonly<Record<WindowName, WindowMetrics>>;
  /** At `latency.quantile`, over the hour that ended 5 minutes ago. */
  readonly base: Reading;
  readonly baseN: number;
  readonly probe: {
    readonly p50: Reading;
    /** Over 5 minutes. */
    readonly n: number;
    readonly ok: number;
    /** Good probes in a row, up to now. */
    readonly streak: number;
    /** Ms since epoch. */
    readonly lastAt: number | null;
  };
  readonly transportErrors2m: number;
  readonly successes2m: number;
  /** The worst of all processes. */
  readonly breaker: BreakerState;
}

/** Why figures can't be used: nothing is decided on them. */
export type UnusableReason = 'timeout' | 'http' | 'parse' | 'warnings' | 'empty' | 'stale' | 'clock' | 'active-nan';

export type MetricsSnapshot =
  | {
      readonly state: 'fresh';
      /** Ms since epoch, of the source. */
      readonly evaluatedAt: number;
      /** Of the newest sample of this Orb. */
      readonly ageMs: number;
      readonly providers: Readonly<Record<string, ProviderMetrics>>;
    }
  | {
      readonly state: 'unusable';
      readonly why: UnusableReason;
      /** Ms since epoch: the first of the unbroken row of looks that failed. */
      readonly since: number;
    };
