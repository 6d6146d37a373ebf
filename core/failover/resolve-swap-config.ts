import type { Execution, Manifest, SwapConfig } from '../../crds/manifest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { SWAP_DEFAULTS } from './defaults.ts';
import { milliseconds } from '../time/duration.ts';
import type { ResolvedSwapConfig } from './types.ts';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const isSafeMethod = (method: string): boolean => SAFE_METHODS.includes(method);

/** Whether a probe is the execution's own request: a cheaper health check does not show the latency of a run. */
export const isOwnRequest = ({ probe }: Execution): boolean =>
  probe === undefined ||
  (probe.method === undefined &&
    probe.url === undefined &&
    probe.headers === undefined &&
    probe.body_template === undefined);

/** Whether a probe has no side effect: probing a POST that sends mail would send mail (failover.md §7). */
export const allowsProbe = (execution: Execution): boolean => {
  const { method, body_template: body } = execution;
  return !isOwnRequest(execution) || (method === undefined ? body === undefined : isSafeMethod(method));
};

interface Named {
  readonly name: string;
  readonly execution: Execution;
}

function executionsOf({ provider, execution, providers = {} }: Manifest): readonly Named[] {
  const others = Object.entries(providers)
    .filter(([name]) => name !== provider)
    .map(([name, definition]) => ({ name, execution: definition.execution }));
  return [{ name: provider, execution }, ...others];
}

// Evidence holds ratios in basis points (failover.md §10), so a decision must use exactly these values.
const ratio = (value: number): number => Math.round(value * 10_000) / 10_000;

const isJson = (value: unknown): value is JsonValue =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value) || typeof value === 'object';

const jsonMembers = (value: unknown): JsonObject =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => isJson(member))) : {};

function latencyOf({ latency }: SwapConfig): ResolvedSwapConfig['latency'] {
  const given = { ...SWAP_DEFAULTS.latency, ...latency };
  return {
    quantile: given.quantile,
    thresholdMs: latency?.threshold_ms ?? null,
    degradeRatio: ratio(given.degrade_ratio),
    minAbsMs: given.min_abs_ms,
    minImprovement: ratio(given.min_improvement),
    windows: given.windows,
    minSamples: latency?.min_samples ?? null,
    baseMinSamples: given.base_min_samples,
    consecutive: given.consecutive,
    evaluationIntervalMs: milliseconds(given.evaluation_interval),
  };
}

function hardFailureOf({ hard_failure: hardFailure }: SwapConfig): ResolvedSwapConfig['hardFailure'] {
  const given = { ...SWAP_DEFAULTS.hard_failure, ...hardFailure };
  return {
    errorRatio: ratio(given.error_ratio),
    minRequests: given.min_requests,
    consecutiveFailures: given.consecutive_failures,
  };
}

function dwellOf({ dwell }: SwapConfig): ResolvedSwapConfig['dwell'] {
  const given = { ...SWAP_DEFAULTS.dwell, ...dwell };
  return {
    minMs: milliseconds(given.min),
    holdDownMs: milliseconds(given.hold_down),
    multiplier: ratio(given.multiplier),
    maxMs: milliseconds(given.max),
    jitter: ratio(given.jitter),
    maxSwapsPerHour: given.max_swaps_per_hour,
  };
}

function failbackOf({ failback }: SwapConfig): ResolvedSwapConfig['failback'] {
  const given = { ...SWAP_DEFAULTS.failback, ...failback };
  return {
    mode: given.mode,
    consecutive: given.consecutive,
    maxRatio: ratio(given.max_ratio),
    minProbeOk: ratio(given.min_probe_ok),
    minProbeSamples: given.min_probe_samples,
    ramp: given.ramp,
    rampStepMs: milliseconds(given.ramp_step),
  };
}

function probeOf({ probe }: SwapConfig, executions: readonly Named[]): ResolvedSwapConfig['probe'] {
  const given = { ...SWAP_DEFAULTS.probe, ...probe };
  const isSafe = executions.every(({ execution }) => allowsProbe(execution));
  return {
    mode: probe?.mode ?? (isSafe ? 'synthetic' : 'none'),
    intervalMs: milliseconds(given.interval),
    jitter: ratio(given.jitter),
    timeoutMs: milliseconds(given.timeout),
    maxPerHour: given.max_per_hour,
    inputs: jsonMembers(probe?.inputs),
    orbiset: probe?.orbiset ?? null,
    ownRequest: executions.filter(({ execution }) => isOwnRequest(execution)).map(({ name }) => name),
  };
}

/**
 * `swap_config` of a valid manifest with every default filled in (failover.md §4). Ratios have four decimals.
 * @returns undefined without `swap_config`: such an Orb has one provider, and only a person swaps it
 */
export function resolveSwapConfig(manifest: Manifest): ResolvedSwapConfig | undefined {
  const { swap_config: swap } = manifest;
  if (swap === undefined) return undefined;
  return {
    primary: swap.primary ?? manifest.provider,
    fallbacks: swap.fallbacks ?? [],
    strategy: swap.strategy ?? SWAP_DEFAULTS.strategy,
    latency: latencyOf(swap),
    hardFailure: hardFailureOf(swap),
    dwell: dwellOf(swap),
    failback: failbackOf(swap),
    probe: probeOf(swap, executionsOf(manifest)),
  };
}
