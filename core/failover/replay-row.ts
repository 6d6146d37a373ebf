import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { isWithinHour } from './rules/hold.ts';
import { MAX_HISTORY } from './record-swap.ts';
import { metricsOf, type FreshMetrics } from './clean-metrics.ts';
import { WINDOWS, type Reading } from './metrics.ts';
import type { FailoverInput, FailoverStatus, ResolvedSwapConfig } from './types.ts';

/** A value in thousandths, as an integer; `clean-metrics.ts` rounded it to three decimals. */
const milli = (value: number): number => Math.round(value * 1000);
const milliOf = (reading: Reading): number | null => (reading.kind === 'ok' ? milli(reading.value) : null);
/** Ratios have four decimals (`resolve-swap-config.ts`). */
const basisPoints = (ratio: number): number => Math.round(ratio * 10_000);

const BREAKERS = { closed: 0, half_open: 1, open: 2 } as const;

/**
 * The metrics of one provider in a decision, latencies in µs, counts in thousandths. The form is `[name, breaker,
 * [n, p50, pq, attempts, bad] of each window, base, baseN, [p50, n, ok, streak, age in ms] of probes, transport errors,
 * successes]`.
 * @param metrics clean
 */
export function providerRow(metrics: FreshMetrics, name: string): JsonValue {
  const { windows, base, baseN, probe, transportErrors2m, successes2m, breaker } = metricsOf(metrics, name);
  return [
    name,
    BREAKERS[breaker],
    WINDOWS.map((window): JsonValue => {
      const { n, p50, pq, attempts, bad } = windows[window];
      return [milli(n), milliOf(p50), milliOf(pq), milli(attempts), milli(bad)];
    }),
    milliOf(base),
    milli(baseN),
    [
      milliOf(probe.p50),
      milli(probe.n),
      milli(probe.ok),
      milli(probe.streak),
      probe.lastAt === null ? null : metrics.evaluatedAt - probe.lastAt,
    ],
    milli(transportErrors2m),
    milli(successes2m),
  ];
}

/** The configuration that a decision depends on: ratios in basis points, times in ms. */
export function configRow(config: ResolvedSwapConfig): JsonObject {
  const { latency, hardFailure, dwell, failback, probe } = config;
  return {
    primary: config.primary,
    fallbacks: config.fallbacks,
    strategy: config.strategy,
    windows: latency.windows,
    quantile_bp: basisPoints(latency.quantile),
    threshold_ms: latency.thresholdMs,
    degrade_bp: basisPoints(latency.degradeRatio),
    min_abs_ms: latency.minAbsMs,
    improvement_bp: basisPoints(latency.minImprovement),
    min_samples: latency.minSamples,
    base_min_samples: latency.baseMinSamples,
    consecutive: latency.consecutive,
    hard: [basisPoints(hardFailure.errorRatio), hardFailure.minRequests, hardFailure.consecutiveFailures],
    max_swaps: dwell.maxSwapsPerHour,
    mode: failback.mode,
    recovered: failback.consecutive,
    max_ratio_bp: basisPoints(failback.maxRatio),
    probe_ok_bp: basisPoints(failback.minProbeOk),
    probe_samples: failback.minProbeSamples,
    ramp: failback.ramp,
    ramp_step_ms: failback.rampStepMs,
    probe: probe.mode,
    probe_interval_ms: probe.intervalMs,
    own_request: probe.ownRequest,
  };
}

/** Swaps of the last hour, as a decision uses them: their number, and the age in ms of the last swap by rule 2. */
function swapsRow({ history }: FailoverStatus, now: number): JsonValue {
  const recent = history.filter(({ at }) => isWithinHour(at, now));
  const automatic = recent.filter(({ reason }) => reason !== 'manual');
  const count = recent.length >= MAX_HISTORY ? MAX_HISTORY : automatic.length;
  const ages = automatic.filter(({ reason }) => reason === 'hard_failure').map(({ at }) => Math.abs(now - at));
  return [count, ages.length === 0 ? null : Math.min(...ages)];
}

/** Status and memory, as the decision used them; times in ms since epoch. */
export function stateRow({ persisted, memory, now, config }: FailoverInput): JsonObject {
  const { latched, degraded, trial, recovered } = memory;
  const streaks = [degraded, trial, recovered];
  const common = { streaks, latched_us: latched === null ? null : milli(latched.baseMs) };
  if (persisted === null) return { active: config.primary, ...common };
  const { activeProvider: active, dwellUntil, ramp, frozen, holds } = persisted;
  return {
    active,
    ...common,
    dwell_until: dwellUntil,
    frozen_until: frozen === null ? null : frozen.until,
    ramp: ramp === null ? null : [ramp.provider, ramp.percent, ramp.stepStartedAt, ramp.trial],
    holds: holds.filter(({ until }) => until > now).map(({ provider, until }) => [provider, until]),
    swaps: swapsRow(persisted, now),
  };
}
