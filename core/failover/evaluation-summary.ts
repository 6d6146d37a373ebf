import type { AttemptOutcome } from '../receipt/record.ts';
import type { BreakerState, WindowName } from './metrics.ts';
import type { Candidate, FailoverMemory, FailoverOutput, RuleId, Verdict } from './types.ts';

/** The last probe of a provider by the process that probes. */
export interface LastProbe {
  /** When the probe ended, ms since epoch. */
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
}

/** Health of a provider as the API processes report it, independent of the evaluation. */
export interface ProviderHealth {
  /** The worst state of all processes. */
  readonly breaker: BreakerState;
  /** Name of a process with that state; absent: it is closed, or the name is not known. */
  readonly replica?: string;
  /** Null when the provider was never probed, or only by processes that no longer exist. */
  readonly lastProbe: LastProbe | null;
}

/** One provider in the candidate table. Latencies in ms to 0.001; null: unknown. */
export interface ProviderSummary {
  readonly provider: string;
  readonly evidence: Candidate['evidence'];
  /** Window of the evidence; null when there is no evidence. */
  readonly window: WindowName | null;
  /** Estimated number of samples in that window; 0 when there is no evidence. */
  readonly n: number;
  readonly p50Ms: number | null;
  /** Latency of traffic at `latency.quantile`. */
  readonly pqMs: number | null;
  readonly errorRatio: number | null;
  readonly probeOkRatio: number | null;
}

/** The verdict about the provider that was active when the verdict was made. */
export interface VerdictSummary {
  readonly kind: Verdict['kind'];
  /** Latency at `latency.quantile`; null unless `healthy` or `degraded`. A failing provider shows in `errorRatio`. */
  readonly valueMs: number | null;
  readonly thresholdMs: number | null;
  /** Window of the evidence about that provider. */
  readonly window: WindowName | null;
  readonly n: number;
}

/** Data of the last evaluation of an Orb, for the status endpoint (failover.md §9.3). */
export interface EvaluationSummary {
  readonly rule: RuleId;
  readonly verdict: VerdictSummary;
  readonly streaks: Pick<FailoverMemory, 'degraded' | 'trial' | 'recovered'>;
  readonly limitMs: number | null;
  /** The latched baseline while it is latched. */
  readonly baseMs: number | null;
  /** Null while the metrics can't be used. */
  readonly dataAgeMs: number | null;
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  /** Sorted by name. Providers without any data are left out. */
  readonly providers: readonly ProviderSummary[];
  readonly health: Readonly<Record<string, ProviderHealth>>;
}

/** Time of an evaluation, and the age of its data. */
export interface EvaluationTime {
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  /** Age of the newest sample; null while the metrics can't be used. */
  readonly ageMs: number | null;
}

/** Rounds to 0.001 ms, which a series in seconds holds without loss. */
const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1000);

const ratio = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

function providerSummary(candidate: Candidate): ProviderSummary {
  const { provider, evidence, window, attempts, bad, probeN, probeOk } = candidate;
  const ratios = { errorRatio: ratio(bad, attempts), probeOkRatio: ratio(probeOk, probeN) };
  if (evidence === 'none') return { provider, evidence, window: null, n: 0, p50Ms: null, pqMs: null, ...ratios };
  const p50Ms = rounded(candidate.p50Ms);
  // Probes are always measured over 5 minutes.
  if (evidence === 'probe') return { provider, evidence, window: '5m', n: probeN, p50Ms, pqMs: null, ...ratios };
  return { provider, evidence, window, n: candidate.n, p50Ms, pqMs: rounded(candidate.pqMs), ...ratios };
}

const isKnown = ({ evidence, errorRatio, probeOkRatio }: ProviderSummary): boolean =>
  evidence !== 'none' || errorRatio !== null || probeOkRatio !== null;

/** @param active metrics of the provider that was active then; undefined when unknown */
export function verdictSummary(
  kind: Verdict['kind'],
  active: ProviderSummary | undefined,
  limitMs: number | null,
): VerdictSummary {
  const byLatency = active !== undefined && (kind === 'healthy' || kind === 'degraded');
  return {
    kind,
    valueMs: byLatency ? active.pqMs : null,
    thresholdMs: byLatency ? limitMs : null,
    window: active?.window ?? null,
    n: active?.n ?? 0,
  };
}

/** The metrics of one evaluation, for a process that evaluates by itself. */
export function summaryOf(
  { verdict, memory, explain }: Pick<FailoverOutput, 'verdict' | 'memory' | 'explain'>,
  { evaluatedAt, ageMs }: EvaluationTime,
  health: EvaluationSummary['health'],
): EvaluationSummary {
  const providers = explain.candidates.map(providerSummary);
  const active = explain.candidates.find((candidate) => candidate.active)?.provider;
  const limitMs = rounded(explain.limitMs);
  return {
    rule: explain.rule,
    verdict: verdictSummary(
      verdict.kind,
      providers.find(({ provider }) => provider === active),
      limitMs,
    ),
    streaks: { degraded: memory.degraded, trial: memory.trial, recovered: memory.recovered },
    limitMs,
    baseMs: rounded(explain.baseMs),
    dataAgeMs: ageMs === null ? null : Math.round(ageMs),
    evaluatedAt: Math.round(evaluatedAt),
    providers: providers.filter(isKnown).toSorted((one, other) => (one.provider < other.provider ? -1 : 1)),
    health,
  };
}
