import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type { FreshMetrics } from './clean-metrics.ts';
import { decide } from './decide.ts';
import { matchesShown, type ReplayedDecision } from './shown-evidence.ts';
import { newStatus } from './status-codec.ts';
import { WINDOWS, type BreakerState, type ProviderMetrics, type Reading, type WindowMetrics } from './metrics.ts';
import type { FailoverInput, FailoverMemory, FailoverStatus, Ramp, ResolvedSwapConfig, SwapRecord } from './types.ts';

/** Members of a swap as in its receipt. */
type ReplayedSwap = Pick<SwapRecord, 'from' | 'to' | 'reason' | 'rule'>;

export interface Replay {
  readonly follows: boolean;
  /** One sentence. It never states a number of the evidence as true. */
  readonly why: string;
}

/** The evidence has an unexpected shape: its author may have written anything, so it can't be replayed. */
class MalformedEvidence extends Error {}

const fail = (what: string): never => {
  throw new MalformedEvidence(what);
};

const objectOf = (value: unknown, what: string): JsonObject => (isJsonObject(value) ? value : fail(what));
const numberOf = (value: unknown, what: string): number => (typeof value === 'number' ? value : fail(what));
const numberOrNull = (value: unknown, what: string): number | null => (value === null ? null : numberOf(value, what));
const nameOf = (value: unknown, what: string): string => (typeof value === 'string' ? value : fail(what));

function listOf(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(what);
}

const oneOf = <T extends string>(value: unknown, all: readonly T[], what: string): T =>
  all.find((one) => one === value) ?? fail(what);

const ratioOf = (value: unknown, what: string): number => numberOf(value, what) / 10_000;
const milliOf = (value: unknown, what: string): number => numberOf(value, what) / 1000;
const readingOf = (value: unknown, what: string): Reading =>
  value === null ? { kind: 'none', why: 'absent' } : { kind: 'ok', value: milliOf(value, what) };

const QUANTILES = [0.5, 0.9, 0.95, 0.99] as const;

function latencyConfig(row: JsonObject): ResolvedSwapConfig['latency'] {
  return {
    quantile:
      QUANTILES.find((quantile) => quantile === ratioOf(row['quantile_bp'], 'quantile_bp')) ?? fail('quantile_bp'),
    thresholdMs: numberOrNull(row['threshold_ms'], 'threshold'),
    degradeRatio: ratioOf(row['degrade_bp'], 'degrade_bp'),
    minAbsMs: numberOf(row['min_abs_ms'], 'min_abs_ms'),
    minImprovement: ratioOf(row['improvement_bp'], 'improvement_bp'),
    windows: listOf(row['windows'], 'windows').map((item) => oneOf(item, WINDOWS, 'windows')),
    minSamples: numberOrNull(row['min_samples'], 'min_samples'),
    baseMinSamples: numberOf(row['base_min_samples'], 'base_min_samples'),
    consecutive: numberOf(row['consecutive'], 'consecutive'),
    evaluationIntervalMs: 0,
  };
}

function hardFailureConfig(row: JsonObject): ResolvedSwapConfig['hardFailure'] {
  const [ratio, least, inRow] = listOf(row['hard'], 'hard');
  return {
    errorRatio: ratioOf(ratio, 'hard'),
    minRequests: numberOf(least, 'hard'),
    consecutiveFailures: numberOf(inRow, 'hard'),
  };
}

function failbackConfig(row: JsonObject): ResolvedSwapConfig['failback'] {
  return {
    mode: oneOf(row['mode'], ['auto', 'manual'], 'mode'),
    consecutive: numberOf(row['recovered'], 'recovered'),
    maxRatio: ratioOf(row['max_ratio_bp'], 'max_ratio_bp'),
    minProbeOk: ratioOf(row['probe_ok_bp'], 'probe_ok_bp'),
    minProbeSamples: numberOf(row['probe_samples'], 'probe_samples'),
    ramp: listOf(row['ramp'], 'ramp').map((step) => numberOf(step, 'ramp')),
    rampStepMs: numberOf(row['ramp_step_ms'], 'ramp_step_ms'),
  };
}

const namesOf = (value: unknown, what: string): readonly string[] =>
  listOf(value, what).map((name) => nameOf(name, what));

/** Reads the configuration. Settings that affect no decision are fixed: the length of holds, and sending of probes. */
function configOf(value: unknown): ResolvedSwapConfig {
  const row = objectOf(value, 'config');
  const none = { minMs: 0, holdDownMs: 0, multiplier: 1, maxMs: 86_400_000, jitter: 0 };
  return {
    primary: nameOf(row['primary'], 'primary'),
    fallbacks: namesOf(row['fallbacks'], 'fallbacks'),
    strategy: oneOf(row['strategy'], ['latency', 'priority'], 'strategy'),
    latency: latencyConfig(row),
    hardFailure: hardFailureConfig(row),
    dwell: { ...none, maxSwapsPerHour: numberOf(row['max_swaps'], 'max_swaps') },
    failback: failbackConfig(row),
    probe: {
      mode: oneOf(row['probe'], ['synthetic', 'none'], 'probe'),
      intervalMs: numberOf(row['probe_interval_ms'], 'probe_interval_ms'),
      jitter: 0,
      timeoutMs: 0,
      maxPerHour: 0,
      inputs: {},
      orbiset: null,
      ownRequest: namesOf(row['own_request'], 'own_request'),
    },
  };
}

function windowOf(value: unknown): WindowMetrics {
  const [n, p50, pq, attempts, bad] = listOf(value, 'window');
  return {
    n: milliOf(n, 'window'),
    p50: readingOf(p50, 'window'),
    pq: readingOf(pq, 'window'),
    attempts: milliOf(attempts, 'window'),
    bad: milliOf(bad, 'window'),
  };
}

function probeOf(value: unknown, now: number): ProviderMetrics['probe'] {
  const [p50, n, ok, streak, age] = listOf(value, 'probe');
  const ageMs = numberOrNull(age, 'probe');
  return {
    p50: readingOf(p50, 'probe'),
    n: milliOf(n, 'probe'),
    ok: milliOf(ok, 'probe'),
    streak: milliOf(streak, 'probe'),
    lastAt: ageMs === null ? null : now - ageMs,
  };
}

const BREAKERS: readonly BreakerState[] = ['closed', 'half_open', 'open'];

function providerOf(value: unknown, now: number): readonly [string, ProviderMetrics] {
  const [name, breaker, windows, base, baseN, probe, transport, successes] = listOf(value, 'provider');
  const [two, five, ten] = listOf(windows, 'windows').map(windowOf);
  if (two === undefined || five === undefined || ten === undefined) return fail('windows');
  return [
    nameOf(name, 'provider'),
    {
      windows: { '2m': two, '5m': five, '10m': ten },
      base: readingOf(base, 'base'),
      baseN: milliOf(baseN, 'base'),
      probe: probeOf(probe, now),
      transportErrors2m: milliOf(transport, 'provider'),
      successes2m: milliOf(successes, 'provider'),
      breaker: BREAKERS[numberOf(breaker, 'breaker')] ?? fail('breaker'),
    },
  ];
}

function memoryOf(state: JsonObject): FailoverMemory {
  const [degraded, trial, recovered] = listOf(state['streaks'], 'streaks').map((streak) => numberOf(streak, 'streaks'));
  if (degraded === undefined || trial === undefined || recovered === undefined) return fail('streaks');
  const base = numberOrNull(state['latched_us'], 'latched_us');
  return { degraded, trial, recovered, latched: base === null ? null : { baseMs: base / 1000, fastTicks: 0 } };
}

function rampOf(value: unknown): Ramp | null {
  if (value === null) return null;
  const [provider, percent, stepStartedAt, trial] = listOf(value, 'ramp');
  return {
    provider: nameOf(provider, 'ramp'),
    percent: numberOf(percent, 'ramp'),
    stepStartedAt: numberOf(stepStartedAt, 'ramp'),
    trial: typeof trial === 'boolean' ? trial : fail('ramp'),
  };
}

/** Rebuilds the swaps that count, with only the data that a decision uses. */
function historyOf(value: unknown, active: string, now: number): readonly SwapRecord[] {
  const [count, age] = listOf(value, 'swaps');
  const least: SwapRecord = {
    seq: 1,
    at: now,
    from: '',
    to: active,
    reason: 'latency',
    rule: 'degraded',
    epoch: 0,
    receiptId: '',
    actor: null,
    evidence: null,
  };
  const records = Array.from({ length: Math.min(20, Math.max(0, numberOf(count, 'swaps'))) }, () => least);
  const last = numberOrNull(age, 'swaps');
  return last === null ? records : [...records.slice(1), { ...least, at: now - last, reason: 'hard_failure' }];
}

function statusOf(state: JsonObject, now: number): FailoverStatus {
  const active = nameOf(state['active'], 'active');
  const status = newStatus(active, now);
  if (state['swaps'] === undefined) return status;
  const frozenUntil = numberOrNull(state['frozen_until'], 'frozen_until');
  return {
    ...status,
    dwellUntil: numberOrNull(state['dwell_until'], 'dwell_until'),
    frozen: frozenUntil === null ? null : { until: frozenUntil, reason: 'flapping' },
    ramp: rampOf(state['ramp']),
    holds: listOf(state['holds'], 'holds').map((hold) => {
      const [provider, until] = listOf(hold, 'holds');
      return { provider: nameOf(provider, 'holds'), until: numberOf(until, 'holds'), level: 1 };
    }),
    history: historyOf(state['swaps'], active, now),
  };
}

/** @returns undefined when the replay gives no swap */
function replayed(evidence: JsonObject): (ReplayedDecision & { readonly swap: SwapRecord }) | undefined {
  const { metrics, replay } = evidence;
  const row = objectOf(replay, 'replay');
  const state = objectOf(row['state'], 'state');
  const now = numberOf(row['now'], 'now');
  const rows = listOf(row['providers'], 'providers').map((provider) => providerOf(provider, now));
  const fresh: FreshMetrics = {
    state: 'fresh',
    evaluatedAt: now,
    ageMs: numberOf(objectOf(metrics, 'metrics')['age_ms'], 'age_ms'),
    providers: Object.fromEntries(rows),
  };
  const input: FailoverInput = {
    now,
    random: 0.5,
    epoch: 0,
    receiptId: '',
    config: configOf(row['config']),
    resolved: rows.map(([name]) => name),
    pin: null,
    metrics: fresh,
    persisted: statusOf(state, now),
    memory: memoryOf(state),
  };
  const output = decide(input);
  const swap = output.next.swapSeq === 0 ? undefined : output.next.history.at(-1);
  return swap === undefined ? undefined : { input, output, swap };
}

function compare(evidence: JsonObject, swap: ReplayedSwap): Replay {
  const found = replayed(evidence);
  if (found === undefined) return { follows: false, why: 'These metrics lead to no swap.' };
  const { from, to, reason, rule } = found.swap;
  const decision = `the rule ${rule} leads from "${from}" to "${to}" (${reason})`;
  if (from !== swap.from || to !== swap.to || reason !== swap.reason || rule !== swap.rule)
    return { follows: false, why: `With these metrics ${decision}, which is not what was recorded.` };
  return matchesShown(evidence, found)
    ? { follows: true, why: `With these metrics ${decision}.` }
    : { follows: false, why: `With its own metrics ${decision}, but the evidence shows others.` };
}

/**
 * Checks whether `decide` comes to the same swap with the values in its evidence (failover.md §10). It does not check
 * whether these values were true.
 * @param evidence of a receipt; it may have any shape
 */
export function replayEvidence(evidence: JsonValue, swap: ReplayedSwap): Replay {
  try {
    return compare(objectOf(evidence, 'evidence'), swap);
  } catch (error) {
    if (!(error instanceof MalformedEvidence)) throw error;
    return { follows: false, why: `The evidence can't be replayed: "${error.message}" is missing or malformed.` };
  }
}
