import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { Candidate, Explain, FailoverInput, FailoverOutput, ResolvedSwapConfig, SwapRecord } from './types.ts';

const WINDOW_S = { '2m': 120, '5m': 300, '10m': 600 } as const;

const whole = (value: number): number => Math.round(value);
const wholeOrNull = (value: number | null): number | null => (value === null ? null : Math.round(value));
const basisPoints = (ratio: number): number => Math.round(ratio * 10_000);

/** `config` of the evidence in the form for people (failover.md §10), without its digest. */
export function shownConfig({ latency, strategy }: ResolvedSwapConfig, explain: Explain): JsonObject {
  return {
    strategy,
    quantile_bp: basisPoints(latency.quantile),
    window_s: explain.window === null ? null : WINDOW_S[explain.window],
    min_samples: explain.minSamples,
    limit_ms: wholeOrNull(explain.limitMs),
    min_improvement_bp: basisPoints(latency.minImprovement),
    consecutive: latency.consecutive,
  };
}

/** One entry of `candidates`. @param to the provider that was chosen */
export const shownCandidate = (candidate: Candidate, to: string): JsonObject => ({
  provider: candidate.provider,
  active: candidate.active,
  n: whole(candidate.n),
  p50_ms: wholeOrNull(candidate.p50Ms),
  pq_ms: wholeOrNull(candidate.pqMs),
  base_ms: wholeOrNull(candidate.baseMs),
  attempts: whole(candidate.attempts),
  bad: whole(candidate.bad),
  probe_n: whole(candidate.probeN),
  probe_ok: whole(candidate.probeOk),
  eligible: candidate.provider === to || candidate.eligible,
  why: candidate.provider === to ? 'chosen' : candidate.why,
});

/** Number of evaluations in a row that the rule needed; 0 for a rule without a streak. */
export function shownStreak({ rule }: Pick<SwapRecord, 'rule'>, { memory }: Pick<FailoverInput, 'memory'>): number {
  if (rule === 'degraded') return memory.degraded + 1;
  if (rule === 'trial-ramp') return memory.trial;
  return rule === 'failback' ? memory.recovered : 0;
}

/** Whether a value has all members of `wanted`, which are plain values. */
const containsAll = (value: unknown, wanted: JsonObject): boolean =>
  isJsonObject(value) && Object.entries(wanted).every(([name, member]) => value[name] === member);

/** A swap with the input of its decision, run again. */
export interface ReplayedDecision {
  readonly input: Pick<FailoverInput, 'config' | 'memory'>;
  readonly output: Pick<FailoverOutput, 'explain'>;
  readonly swap: Pick<SwapRecord, 'to' | 'rule'>;
}

/** Whether the values that people see are the values of the decision. */
export function matchesShown(
  { config, candidates, streak }: JsonObject,
  { input, output: { explain }, swap }: ReplayedDecision,
): boolean {
  const wanted = explain.candidates.map((candidate) => shownCandidate(candidate, swap.to));
  return (
    containsAll(config, shownConfig(input.config, explain)) &&
    Array.isArray(candidates) &&
    candidates.length === wanted.length &&
    wanted.every((candidate, index) => containsAll(candidates[index], candidate)) &&
    streak === shownStreak(swap, input)
  );
}
