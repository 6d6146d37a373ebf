import { ATTEMPT_OUTCOMES } from '../receipt/record.ts';
import {
  verdictSummary,
  type EvaluationSummary,
  type LastProbe,
  type ProviderSummary,
  type ProviderHealth,
} from './evaluation-summary.ts';
import type { LabelledValue } from './evaluation-series.ts';
import { WINDOWS, type BreakerState } from './metrics.ts';
import { RULES, type Candidate, type Verdict } from './types.ts';

/** A sample as an instant query returns it; its labels may include those of the Orb and of the scrape target. */
export interface SeriesSample extends LabelledValue {
  readonly name: string;
}

/** Data that the series don't hold. */
export interface SeriesContext {
  /** `latency.quantile` of the Orb. */
  readonly quantile: number;
  /** The active provider, and since when, ms since epoch. */
  readonly active: { readonly provider: string; readonly since: number };
}

const VERDICTS = [
  'healthy',
  'degraded',
  'failing',
  'inconclusive',
  'unavailable',
] as const satisfies readonly Verdict['kind'][];
const EVIDENCES = ['traffic', 'probe'] as const satisfies readonly Candidate['evidence'][];
/** States by the value of the gauge. */
const BREAKERS = ['closed', 'half_open', 'open'] as const satisfies readonly BreakerState[];
/** Labels of the series themselves; all other labels identify the process. */
const OWN_LABELS = new Set([
  '__name__',
  'orb_namespace',
  'orb_id',
  'provider',
  'evidence',
  'window',
  'quantile',
  'rule',
  'kind',
  'streak',
  'outcome',
]);
const MEDIAN = '0.5';
const HEALTH = /^orb_provider_(?:breaker|probe)_/;

/** Samples of one process, by name of their series. */
type ByName = ReadonlyMap<string, readonly SeriesSample[]>;

const oneOf = <T extends string>(allowed: readonly T[], text: string | undefined): T | undefined =>
  allowed.find((value) => value === text);

function group(
  samples: readonly SeriesSample[],
  keyOf: (sample: SeriesSample) => string,
): ReadonlyMap<string, readonly SeriesSample[]> {
  const groups = new Map<string, SeriesSample[]>();
  for (const sample of samples) {
    const key = keyOf(sample);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [sample]);
    else known.push(sample);
  }
  return groups;
}

const processOf = ({ labels }: SeriesSample): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([label]) => !OWN_LABELS.has(label))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

const byName = (samples: readonly SeriesSample[]): ByName => group(samples, ({ name }) => name);

const valueOf = (series: ByName, name: string, labels: LabelledValue['labels'] = {}): number | null => {
  const fits = (sample: SeriesSample): boolean =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return series.get(name)?.find(fits)?.value ?? null;
};

/** Reverts `ms / 1000`, to 0.001 ms. */
const milliseconds = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 1_000_000) / 1000;

const latencyOf = (series: ByName, provider: string, quantile: string): number | null =>
  milliseconds(valueOf(series, 'orb_swap_latency_seconds', { provider, quantile }));

function providerSummary(series: ByName, provider: string, quantile: number): ProviderSummary {
  const ratios = {
    errorRatio: valueOf(series, 'orb_swap_error_ratio', { provider }),
    probeOkRatio: valueOf(series, 'orb_swap_probe_ok_ratio', { provider }),
  };
  const samples = series.get('orb_swap_samples')?.find(({ labels }) => labels['provider'] === provider);
  const evidence = oneOf(EVIDENCES, samples?.labels['evidence']);
  const window = oneOf(WINDOWS, samples?.labels['window']) ?? null;
  if (samples === undefined || evidence === undefined) {
    return { provider, evidence: 'none', window: null, n: 0, p50Ms: null, pqMs: null, ...ratios };
  }
  const p50Ms = latencyOf(series, provider, MEDIAN);
  const pqMs = evidence === 'traffic' ? latencyOf(series, provider, String(quantile)) : null;
  return { provider, evidence, window, n: samples.value, p50Ms, pqMs, ...ratios };
}

function providersOf(series: ByName, quantile: number): readonly ProviderSummary[] {
  const named = ['orb_swap_samples', 'orb_swap_error_ratio', 'orb_swap_probe_ok_ratio'].flatMap(
    (name) => series.get(name)?.flatMap(({ labels }) => labels['provider'] ?? []) ?? [],
  );
  return [...new Set(named)].toSorted().map((provider) => providerSummary(series, provider, quantile));
}

function probeOf(series: ByName, provider: string): LastProbe | null {
  const at = milliseconds(valueOf(series, 'orb_provider_probe_last_timestamp_seconds', { provider }));
  const duration = series
    .get('orb_provider_probe_last_duration_seconds')
    ?.find(({ labels }) => labels['provider'] === provider);
  const outcome = oneOf(ATTEMPT_OUTCOMES, duration?.labels['outcome']);
  if (at === null || duration === undefined || outcome === undefined) return null;
  return { at, outcome, durationMs: milliseconds(duration.value) ?? 0 };
}

function lastProbeOf(processes: readonly ByName[], provider: string): LastProbe | null {
  const probes = processes.flatMap((series) => probeOf(series, provider) ?? []);
  return probes.toSorted((one, other) => other.at - one.at)[0] ?? null;
}

/** The worst state of all processes, and which one has it: the Pod, else the address that was scraped. */
function breakerOf(processes: readonly ByName[], provider: string): Pick<ProviderHealth, 'breaker' | 'replica'> {
  const samples = processes.flatMap((series) => series.get('orb_provider_breaker_state') ?? []);
  const tripped = samples.filter(({ labels, value }) => labels['provider'] === provider && value > 0);
  const [worst] = tripped.toSorted((one, other) => other.value - one.value);
  if (worst === undefined) return { breaker: 'closed' };
  const replica = worst.labels['pod'] ?? worst.labels['instance'];
  return { breaker: BREAKERS[worst.value] ?? 'closed', ...(replica === undefined ? {} : { replica }) };
}

function healthOf(samples: readonly SeriesSample[]): EvaluationSummary['health'] {
  const processes = [...group(samples, processOf).values()].map(byName);
  const ofProviders = samples.filter(({ name }) => HEALTH.test(name));
  const health: Record<string, ProviderHealth> = {};
  for (const provider of new Set(ofProviders.flatMap(({ labels }) => labels['provider'] ?? []))) {
    health[provider] = { ...breakerOf(processes, provider), lastProbe: lastProbeOf(processes, provider) };
  }
  return health;
}

/** The process with the newest evaluation: there may be samples of the leader before, too. */
function newestEvaluation(
  samples: readonly SeriesSample[],
): { readonly series: ByName; readonly at: number } | undefined {
  let newest: { readonly series: ByName; readonly at: number } | undefined;
  for (const ofProcess of group(samples, processOf).values()) {
    const series = byName(ofProcess);
    const at = valueOf(series, 'orb_swap_evaluated_timestamp_seconds');
    if (at !== null && at * 1000 > (newest?.at ?? 0)) newest = { series, at: Math.round(at * 1000) };
  }
  return newest;
}

/**
 * Builds the metrics of one Orb from the gauges of the operator and of the API processes (failover.md §9.3).
 * @param samples of `{__name__=~"orb_swap_.+|orb_provider_(breaker|probe)_.+"}` for the Orb; NaN and infinite samples
 *   count as absent
 * @returns undefined when no operator has evaluated the Orb in the lookback time of the query. The verdict has no value
 *   when the active provider has changed since, because it was about another provider
 */
export function evaluationFromSeries(
  samples: readonly SeriesSample[],
  { quantile, active }: SeriesContext,
): EvaluationSummary | undefined {
  const usable = samples.filter(({ value }) => Number.isFinite(value));
  const newest = newestEvaluation(usable);
  if (newest === undefined) return undefined;
  const { series, at } = newest;
  const [verdict] = series.get('orb_swap_verdict') ?? [];
  const rule = oneOf(RULES, verdict?.labels['rule']);
  const kind = oneOf(VERDICTS, verdict?.labels['kind']);
  if (rule === undefined || kind === undefined) return undefined;
  const providers = providersOf(series, quantile);
  const judged = active.since < at ? providers.find(({ provider }) => provider === active.provider) : undefined;
  const limitMs = milliseconds(valueOf(series, 'orb_swap_limit_seconds'));
  const streakOf = (streak: string): number => valueOf(series, 'orb_swap_streak', { streak }) ?? 0;
  return {
    rule,
    verdict: verdictSummary(kind, judged, limitMs),
    streaks: { degraded: streakOf('degraded'), trial: streakOf('trial'), recovered: streakOf('recovered') },
    limitMs,
    baseMs: milliseconds(valueOf(series, 'orb_swap_base_seconds')),
    dataAgeMs: milliseconds(valueOf(series, 'orb_swap_data_age_seconds')),
    evaluatedAt: at,
    providers,
    health: healthOf(usable),
  };
}
