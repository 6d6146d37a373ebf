import { metricsOf } from '../clean-metrics.ts';
import type { ProviderMetrics } from '../metrics.ts';
import type { Candidate } from '../types.ts';
import { valueOf, type Situation } from './situation.ts';

// failover.md §5.2
const MIN_PROBE_STREAK = 3;
const MIN_PROBE_SUCCESSES = 5;
const FRESH_INTERVALS = 3;

/** Names of the providers that a swap may choose, in manifest order. */
const swapOrder = ({ config, input }: Situation): readonly string[] =>
  [...new Set([config.primary, ...config.fallbacks])].filter((name) => input.resolved.includes(name));

export const standbys = (situation: Situation): readonly string[] =>
  swapOrder(situation).filter((name) => name !== situation.active);

/** Compares times of the metrics source only: when a clock is set, these times move, but `now` does not. */
export const isFresh = ({ config, metrics }: Situation, { probe }: ProviderMetrics): boolean =>
  probe.lastAt !== null && metrics.evaluatedAt - probe.lastAt <= FRESH_INTERVALS * config.probe.intervalMs;

export const isHeld = ({ status, now }: Pick<Situation, 'status' | 'now'>, provider: string): boolean =>
  status.holds.some((hold) => hold.provider === provider && hold.until > now);

/** Why a provider does not count as healthy; undefined when it is usable. */
function fault(situation: Situation, metrics: ProviderMetrics): string | undefined {
  if (metrics.breaker === 'open') return 'breaker-open';
  if (!isFresh(situation, metrics)) return 'not-probed';
  return metrics.probe.streak >= MIN_PROBE_STREAK ? undefined : 'probes-failed';
}

export const isUsable = (situation: Situation, provider: string): boolean =>
  provider !== situation.active &&
  situation.input.resolved.includes(provider) &&
  fault(situation, metricsOf(situation.metrics, provider)) === undefined;

interface Latency {
  readonly evidence: 'traffic' | 'probe';
  readonly p50Ms: number;
}

function probeLatency({ config }: Situation, provider: string, { probe }: ProviderMetrics): Latency | undefined {
  const p50Ms = valueOf(probe.p50);
  const counts = config.probe.ownRequest.includes(provider) && probe.ok >= MIN_PROBE_SUCCESSES;
  return counts && p50Ms !== null ? { evidence: 'probe', p50Ms } : undefined;
}

/** Latency for comparing a provider: from its traffic, else from its probes, else undefined. */
export function candidateLatency(situation: Situation, provider: string): Latency | undefined {
  const metrics = metricsOf(situation.metrics, provider);
  const { n, p50 } = metrics.windows['5m'];
  const p50Ms = n >= situation.minSamples ? valueOf(p50) : null;
  return p50Ms === null ? probeLatency(situation, provider, metrics) : { evidence: 'traffic', p50Ms };
}

export interface Ranked {
  readonly provider: string;
  readonly p50Ms: number;
}

/** Usable standbys with a known latency, in manifest order. */
export const comparableStandbys = (situation: Situation): readonly Ranked[] =>
  standbys(situation).flatMap((provider): readonly Ranked[] => {
    const latency = isUsable(situation, provider) ? candidateLatency(situation, provider) : undefined;
    return latency === undefined ? [] : [{ provider, p50Ms: latency.p50Ms }];
  });

/** The provider with the lowest latency. Among providers within `band` of the lowest, it is the first in order. */
export function fastest(ranked: readonly Ranked[], band: number): Ranked | undefined {
  const lowest = ranked.reduce((least, { p50Ms }) => Math.min(least, p50Ms), Infinity);
  return ranked.find(({ p50Ms }) => p50Ms <= lowest * (1 + band));
}

/** Whether a provider is fast enough to replace the active one. */
export const isFaster = ({ config, p50Ms: own }: Situation, { p50Ms }: Ranked): boolean =>
  own !== null && p50Ms <= (1 - config.latency.minImprovement) * own;

/** Why a swap by latency may choose a standby, or why it may not. */
function reasonOf(situation: Situation, provider: string, metrics: ProviderMetrics): string {
  const found = fault(situation, metrics);
  if (found !== undefined) return found;
  if (isHeld(situation, provider)) return 'held';
  const latency = candidateLatency(situation, provider);
  if (latency === undefined) return 'latency-unknown';
  return isFaster(situation, { provider, p50Ms: latency.p50Ms }) ? 'faster' : 'not-faster';
}

type LatencyEvidence = Pick<Candidate, 'evidence' | 'window' | 'p50Ms' | 'baseMs' | 'why'>;

const measureActive = ({ window, p50Ms, baseMs }: Situation): LatencyEvidence => ({
  evidence: window === null ? 'none' : 'traffic',
  window,
  p50Ms,
  baseMs,
  why: 'active',
});

function measureStandby(situation: Situation, provider: string, metrics: ProviderMetrics): LatencyEvidence {
  const latency = candidateLatency(situation, provider);
  return {
    evidence: latency?.evidence ?? 'none',
    window: latency?.evidence === 'traffic' ? '5m' : null,
    p50Ms: latency?.p50Ms ?? null,
    baseMs: null,
    why: reasonOf(situation, provider, metrics),
  };
}

function describe(situation: Situation, provider: string): Candidate {
  const metrics = metricsOf(situation.metrics, provider);
  const active = provider === situation.active;
  const measured = active ? measureActive(situation) : measureStandby(situation, provider, metrics);
  const { n, pq, attempts, bad } = metrics.windows[measured.window ?? '2m'];
  const { n: probeN, ok: probeOk } = metrics.probe;
  const pqMs = measured.window === null ? null : valueOf(pq);
  return {
    provider,
    active,
    ...measured,
    n,
    pqMs,
    attempts,
    bad,
    probeN,
    probeOk,
    eligible: measured.why === 'faster',
  };
}

/** Every provider with the data of the decision, in manifest order. An unlisted active provider comes last. */
export const candidatesOf = (situation: Situation): readonly Candidate[] =>
  [...new Set([...swapOrder(situation), situation.active])].map((provider) => describe(situation, provider));
