import type { EvaluationSummary, ProviderSummary } from './evaluation-summary.ts';

/** A sample of a series, without name and without the labels of the Orb. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface GaugeFamily {
  readonly name: string;
  readonly help: string;
  readonly samples: (summary: EvaluationSummary, quantile: number) => readonly LabelledValue[];
}

const SECOND_MS = 1000;
const MEDIAN = 0.5;

const one = (value: number | null): readonly LabelledValue[] => (value === null ? [] : [{ labels: {}, value }]);
const seconds = (ms: number | null): number | null => (ms === null ? null : ms / SECOND_MS);

/** One sample for each provider whose value is known. */
const perProvider = (
  providers: readonly ProviderSummary[],
  read: (provider: ProviderSummary) => number | null,
): readonly LabelledValue[] =>
  providers.flatMap((summary) =>
    one(read(summary)).map(({ value }) => ({ labels: { provider: summary.provider }, value })),
  );

function latencySamples(providers: readonly ProviderSummary[], quantile: number): readonly LabelledValue[] {
  return providers.flatMap(({ provider, evidence, window, p50Ms, pqMs }) => {
    const at = (q: number, ms: number | null): readonly LabelledValue[] =>
      one(seconds(ms)).map(({ value }) => ({
        labels: { provider, evidence, window: window ?? '', quantile: String(q) },
        value,
      }));
    return quantile === MEDIAN ? at(MEDIAN, p50Ms) : [...at(MEDIAN, p50Ms), ...at(quantile, pqMs)];
  });
}

/** The gauges of the operator that hold the metrics of an evaluation (failover.md §2), in the order of the text. */
export const EVALUATION_FAMILIES = [
  {
    name: 'orb_swap_verdict',
    help: '1 for the rule that decided last and the kind of its verdict.',
    samples: ({ rule, verdict }) => [{ labels: { rule, kind: verdict.kind }, value: 1 }],
  },
  {
    name: 'orb_swap_streak',
    help: 'Evaluations in a row that were for a swap, a trial or a return.',
    samples: ({ streaks }) => Object.entries(streaks).map(([streak, value]) => ({ labels: { streak }, value })),
  },
  {
    name: 'orb_swap_limit_seconds',
    help: 'Latency above which the active provider is degraded.',
    samples: ({ limitMs }) => one(seconds(limitMs)),
  },
  {
    name: 'orb_swap_base_seconds',
    help: 'Baseline in use of the active provider.',
    samples: ({ baseMs }) => one(seconds(baseMs)),
  },
  {
    name: 'orb_swap_data_age_seconds',
    help: 'Age of the newest sample at the last evaluation.',
    samples: ({ dataAgeMs }) => one(seconds(dataAgeMs)),
  },
  {
    name: 'orb_swap_evaluated_timestamp_seconds',
    help: 'When the Orb was evaluated last.',
    samples: ({ evaluatedAt }) => one(seconds(evaluatedAt)),
  },
  {
    name: 'orb_swap_latency_seconds',
    help: 'Latency of a provider as the last evaluation saw it.',
    samples: ({ providers }, quantile) => latencySamples(providers, quantile),
  },
  {
    name: 'orb_swap_samples',
    help: 'Samples of a provider as the last evaluation saw them.',
    samples: ({ providers }) =>
      providers
        .filter(({ evidence }) => evidence !== 'none')
        .map(({ provider, evidence, window, n }) => ({
          labels: { provider, evidence, window: window ?? '' },
          value: n,
        })),
  },
  {
    name: 'orb_swap_error_ratio',
    help: 'Share of bad attempts of a provider as the last evaluation saw it.',
    samples: ({ providers }) => perProvider(providers, ({ errorRatio }) => errorRatio),
  },
  {
    name: 'orb_swap_probe_ok_ratio',
    help: 'Share of good probes of a provider as the last evaluation saw it.',
    samples: ({ providers }) => perProvider(providers, ({ probeOkRatio }) => probeOkRatio),
  },
] as const satisfies readonly GaugeFamily[];
