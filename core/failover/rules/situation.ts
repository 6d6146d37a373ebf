import { metricsOf, type FreshMetrics } from '../clean-metrics.ts';
import type { ProviderMetrics, Reading, WindowName } from '../metrics.ts';
import type { FailoverInput, FailoverMemory, FailoverStatus, ResolvedSwapConfig, Verdict } from '../types.ts';

/** Input of every rule: one Orb at one moment, with usable metrics (failover.md §5.2). */
export interface Situation {
  readonly input: FailoverInput;
  readonly config: ResolvedSwapConfig;
  readonly now: number;
  /** The status after the pin was followed. */
  readonly status: FailoverStatus;
  readonly active: string;
  readonly metrics: FreshMetrics;
  /** Metrics of the active provider. */
  readonly own: ProviderMetrics;
  readonly minSamples: number;
  /** The smallest window of the active provider with enough samples; null: low traffic. */
  readonly window: WindowName | null;
  /** Latency in that window, ms; null when unknown. */
  readonly p50Ms: number | null;
  readonly pqMs: number | null;
  /** The baseline in use: the latched one while it is latched. */
  readonly baseMs: number | null;
  readonly limitMs: number | null;
  readonly latched: FailoverMemory['latched'];
}

export const valueOf = (reading: Reading): number | null => (reading.kind === 'ok' ? reading.value : null);

const SPARSE_PER_SECOND = 0.2;

/** Samples that a window needs: fewer for an Orb with little traffic (failover.md §4). */
function minSamplesOf({ latency }: ResolvedSwapConfig, { windows }: ProviderMetrics): number {
  return latency.minSamples ?? (windows['10m'].n / 600 < SPARSE_PER_SECOND ? 10 : 20);
}

/** The baseline; known from `base_min_samples` samples on, and always while it is latched. */
function baseOf({ latency }: ResolvedSwapConfig, own: ProviderMetrics, { latched }: FailoverMemory): number | null {
  if (latched !== null) return latched.baseMs;
  return own.baseN >= latency.baseMinSamples ? valueOf(own.base) : null;
}

function limitOf({ latency }: ResolvedSwapConfig, baseMs: number | null): number | null {
  if (latency.thresholdMs !== null) return latency.thresholdMs;
  return baseMs === null ? null : Math.max(latency.minAbsMs, latency.degradeRatio * baseMs);
}

/**
 * Latches the baseline, because the baseline itself becomes slow after eight minutes (failover.md §3.2). It is kept
 * from the first slow tick until a swap, or until the provider was fast for `consecutive` ticks.
 */
function latchBaseline(
  { latched }: FailoverMemory,
  consecutive: number,
  { pqMs, limitMs, baseMs }: Pick<Situation, 'pqMs' | 'limitMs' | 'baseMs'>,
): FailoverMemory['latched'] {
  if (pqMs === null || limitMs === null || baseMs === null)
    return latched === null ? null : { ...latched, fastTicks: 0 };
  if (pqMs > limitMs) return { baseMs, fastTicks: 0 };
  if (latched === null || latched.fastTicks + 1 >= consecutive) return null;
  return { baseMs, fastTicks: latched.fastTicks + 1 };
}

export function situationOf(input: FailoverInput, status: FailoverStatus, metrics: FreshMetrics): Situation {
  const { config, now, memory } = input;
  const active = status.activeProvider;
  const own = metricsOf(metrics, active);
  const minSamples = minSamplesOf(config, own);
  const window = config.latency.windows.find((name) => own.windows[name].n >= minSamples) ?? null;
  const baseMs = baseOf(config, own, memory);
  const limitMs = limitOf(config, baseMs);
  const pqMs = window === null ? null : valueOf(own.windows[window].pq);
  const p50Ms = window === null ? null : valueOf(own.windows[window].p50);
  const isRelative = config.latency.thresholdMs === null;
  const latched = isRelative ? latchBaseline(memory, config.latency.consecutive, { pqMs, limitMs, baseMs }) : null;
  return {
    input,
    config,
    now,
    status,
    active,
    metrics,
    own,
    minSamples,
    window,
    p50Ms,
    pqMs,
    baseMs,
    limitMs,
    latched,
  };
}

const UNKNOWN = {
  absent: 'nan',
  nan: 'nan',
  infinite: 'nan',
  'multiple-series': 'multiple-series',
} as const;

/** Verdict about the active provider's latency. Rule 2 gives the verdict `failing` for a broken provider. */
export function latencyVerdict({ own, window, limitMs, metrics }: Situation): Verdict {
  if (window === null) return { kind: 'inconclusive', why: 'low-traffic' };
  const { pq, n } = own.windows[window];
  if (pq.kind === 'none') return { kind: 'inconclusive', why: UNKNOWN[pq.why] };
  if (limitMs === null) return { kind: 'inconclusive', why: 'no-baseline' };
  const kind = pq.value > limitMs ? 'degraded' : 'healthy';
  return { kind, value: pq.value, threshold: limitMs, window, n, ageMs: metrics.ageMs };
}

const isUnreal = (reading: Reading): boolean =>
  reading.kind === 'none' && (reading.why === 'nan' || reading.why === 'infinite');

/** Whether a latency is not a number although there are samples: then no metric is used (failover.md §5.3, rule 1). */
export function isActiveNan({ own, window }: Situation): boolean {
  return window !== null && (isUnreal(own.windows[window].pq) || isUnreal(own.windows[window].p50));
}
