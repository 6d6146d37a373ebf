import { WINDOWS, type MetricsSnapshot, type ProviderMetrics, type Reading, type WindowMetrics } from './metrics.ts';

export type FreshMetrics = Extract<MetricsSnapshot, { readonly state: 'fresh' }>;

const MOST = 9e12;
/** Latest time, ms since epoch. A status holds years 1970 to 9999, and every hold must fit after this time. */
export const MAX_TIME = 253_000_000_000_000;
const NONE: Reading = { kind: 'none', why: 'absent' };
const NO_TRAFFIC: WindowMetrics = { n: 0, p50: NONE, pq: NONE, attempts: 0, bad: 0 };

/** A provider without samples in the metrics source. */
const UNMEASURED: ProviderMetrics = {
  windows: { '2m': NO_TRAFFIC, '5m': NO_TRAFFIC, '10m': NO_TRAFFIC },
  base: NONE,
  baseN: 0,
  probe: { p50: NONE, n: 0, ok: 0, streak: 0, lastAt: null },
  transportErrors2m: 0,
  successes2m: 0,
  breaker: 'closed',
};

/** Rounds to three decimals, so that evidence can hold the values of the decision as integers (failover.md §10). */
const exact = (value: number): number => (value > 0 ? Math.round(Math.min(value, MOST) * 1000) / 1000 : 0);

function reading(value: Reading): Reading {
  if (value.kind === 'none') return value;
  if (Number.isFinite(value.value) && value.value >= 0) return { kind: 'ok', value: exact(value.value) };
  return { kind: 'none', why: Number.isNaN(value.value) ? 'nan' : 'infinite' };
}

const traffic = ({ n, p50, pq, attempts, bad }: WindowMetrics): WindowMetrics => ({
  n: exact(n),
  p50: reading(p50),
  pq: reading(pq),
  attempts: exact(attempts),
  bad: exact(bad),
});

const moment = (at: number | null): number | null => (at !== null && at >= 0 && at <= MAX_TIME ? Math.floor(at) : null);

function provider(metrics: ProviderMetrics): ProviderMetrics {
  const { windows, probe } = metrics;
  return {
    windows: { '2m': traffic(windows['2m']), '5m': traffic(windows['5m']), '10m': traffic(windows['10m']) },
    base: reading(metrics.base),
    baseN: exact(metrics.baseN),
    probe: {
      p50: reading(probe.p50),
      n: exact(probe.n),
      ok: exact(probe.ok),
      streak: exact(probe.streak),
      lastAt: moment(probe.lastAt),
    },
    transportErrors2m: exact(metrics.transportErrors2m),
    successes2m: exact(metrics.successes2m),
    breaker: metrics.breaker,
  };
}

/** Metrics as input of the rules: counts and latencies are finite and not negative. Total. */
export const cleanMetrics = (metrics: FreshMetrics): FreshMetrics => ({
  ...metrics,
  // At an impossible time, no probe is fresh.
  evaluatedAt: moment(metrics.evaluatedAt) ?? MAX_TIME,
  providers: Object.fromEntries(Object.entries(metrics.providers).map(([name, value]) => [name, provider(value)])),
});

/** Metrics of one provider, also when the source has no samples of it. */
export const metricsOf = ({ providers }: FreshMetrics, name: string): ProviderMetrics =>
  (Object.hasOwn(providers, name) ? providers[name] : undefined) ?? UNMEASURED;

/** The smallest window for which a condition holds. */
export const smallestWindow = (
  { windows }: ProviderMetrics,
  holds: (window: WindowMetrics) => boolean,
): (typeof WINDOWS)[number] | undefined => WINDOWS.find((name) => holds(windows[name]));
