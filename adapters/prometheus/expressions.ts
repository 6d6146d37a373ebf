import { createHash } from 'node:crypto';
import { WINDOWS, type WindowName } from '../../core/failover/metrics.ts';

/** Quantiles that `latency.quantile` may name; 0.5 is always included. */
export const QUANTILES = [0.5, 0.9, 0.95, 0.99] as const;
export type Quantile = (typeof QUANTILES)[number];

/** An expression whose result has the label `q`. */
interface Expression {
  readonly q: string;
  readonly expr: string;
  /** Recorded series with the same value; undefined: no rule records it, so it is always computed by the query. */
  readonly record?: string;
  /**
   * A cheap expression about one moment: computed by the query even where rules record it. A recorded value is as old
   * as the last evaluation of the rules. A probe of some seconds ago would no longer count as fresh.
   */
  readonly isLive?: true;
}

/** A recording rule (Prometheus rule file). */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

const BY = 'sum by (orb_namespace, orb_id, provider)';
const BUCKETS = 'orb_provider_request_duration_seconds_bucket';
const COUNT = 'orb_provider_request_duration_seconds_count';
const REQUESTS = 'orb_provider_requests_total';
/** Neither outcome tells anything about the provider (failover.md §2). */
const COUNTED = 'outcome!~"client_error|cancelled"';
const BAD = 'outcome=~"error|timeout|rate_limited|blocked"';
const SUCCESS = 'outcome="success"';
const TRAFFIC = 'source="traffic"';
const PROBE = 'source="probe"';
/** The hour that ended 5 minutes ago. */
const BASE = '[1h] offset 5m';
/** The rules record only these two: each further quantile adds a third of all rules. */
const RECORDED_QUANTILES: readonly Quantile[] = [0.95, 0.5];

const percentile = (quantile: Quantile): string => `p${Math.round(quantile * 100)}`;

export const latencyName = (quantile: Quantile, window: WindowName): string => `${percentile(quantile)}_${window}`;
export const baseName = (quantile: Quantile): string => `base_${percentile(quantile)}`;

/**
 * A selector of a metric: its own matchers, then those of the installation.
 * @param matcher as `parseMatcher` returns it; '' for none
 */
type Select = (metric: string, ...own: readonly string[]) => string;

function selectWith(matcher: string): Select {
  return (metric, ...own) => {
    const all = [...own, ...(matcher === '' ? [] : [matcher])];
    return all.length === 0 ? metric : `${metric}{${all.join(',')}}`;
  };
}

const latency = (select: Select, quantile: Quantile, source: 'traffic' | 'probe', range: string): string =>
  `histogram_quantile(${quantile.toFixed(2)}, sum by (orb_namespace, orb_id, provider, le) (rate(${select(BUCKETS, `source="${source}"`)}${range})))`;
const increase = (selector: string, range: string): string => `${BY} (increase(${selector}${range}))`;
const largest = (selector: string): string => `max by (orb_namespace, orb_id, provider) (${selector})`;

function windowLatency(select: Select, quantile: Quantile, window: WindowName): Expression {
  const asked = { q: latencyName(quantile, window), expr: latency(select, quantile, 'traffic', `[${window}]`) };
  if (!RECORDED_QUANTILES.includes(quantile)) return asked;
  return { ...asked, record: `orb:provider_latency_seconds:${percentile(quantile)}_${window}` };
}

const windowCounts = (select: Select, window: WindowName): readonly Expression[] => [
  {
    q: `n_${window}`,
    expr: increase(select(COUNT, TRAFFIC), `[${window}]`),
    record: `orb:provider_latency_samples:increase${window}`,
  },
  {
    q: `attempts_${window}`,
    expr: increase(select(REQUESTS, TRAFFIC, COUNTED), `[${window}]`),
    record: `orb:provider_attempts:increase${window}`,
  },
  {
    q: `bad_${window}`,
    expr: increase(select(REQUESTS, TRAFFIC, BAD), `[${window}]`),
    record: `orb:provider_bad_attempts:increase${window}`,
  },
];

function baseLatency(select: Select, quantile: Quantile): Expression {
  const asked = { q: baseName(quantile), expr: latency(select, quantile, 'traffic', BASE) };
  return quantile === 0.95 ? { ...asked, record: 'orb:provider_latency_seconds:base_p95_1h' } : asked;
}

const baseCount = (select: Select): Expression => ({
  q: 'base_n',
  expr: increase(select(COUNT, TRAFFIC), BASE),
  record: 'orb:provider_latency_samples:base_increase1h',
});

const probeMedian = (select: Select): Expression => ({
  q: 'probe_p50',
  expr: latency(select, 0.5, 'probe', '[5m]'),
  record: 'orb:provider_probe_latency_seconds:p50_5m',
});

const others = (select: Select): readonly Expression[] => [
  probeMedian(select),
  {
    q: 'probes',
    expr: increase(select(REQUESTS, PROBE, COUNTED), '[5m]'),
    record: 'orb:provider_probes:increase5m',
  },
  {
    q: 'probes_ok',
    expr: increase(select(REQUESTS, PROBE, SUCCESS), '[5m]'),
    record: 'orb:provider_probes_ok:increase5m',
  },
  {
    q: 'successes_2m',
    expr: increase(select(REQUESTS, TRAFFIC, SUCCESS), '[2m]'),
    record: 'orb:provider_successes:increase2m',
  },
  {
    q: 'transport_2m',
    expr: increase(select('orb_provider_transport_errors_total'), '[2m]'),
    record: 'orb:provider_transport_errors:increase2m',
  },
  {
    q: 'breaker',
    expr: largest(select('orb_provider_breaker_state')),
    record: 'orb:provider_breaker_state:max',
    isLive: true,
  },
  {
    q: 'streak',
    expr: largest(select('orb_provider_probe_consecutive_successes')),
    record: 'orb:provider_probe_streak:max',
    isLive: true,
  },
  {
    q: 'last',
    expr: largest(select('orb_provider_probe_last_timestamp_seconds')),
    record: 'orb:provider_probe_last_seconds:max',
    isLive: true,
  },
];

/**
 * The timestamp of an instant result is that of the evaluation. The sample's own timestamp needs a subquery
 * (failover.md §3.2).
 */
const ageOf = (select: Select): Expression => ({
  q: 'age',
  expr: `time() - max by (orb_namespace, orb_id) (max_over_time(timestamp(${select(REQUESTS, TRAFFIC, SUCCESS)})[10m:15s]))`,
});
/** Time since the rules ran. After they stop, recorded series stay readable for 5 minutes. */
const RULES_AGE: Expression = {
  q: 'rules_age',
  expr: 'time() - max by (orb_namespace, orb_id) (timestamp(orb:provider_attempts:increase2m))',
};

/** Whether an evaluation reads this from the rules, in the mode that uses them. */
const isRead = (one: Expression): one is Expression & { readonly record: string } =>
  one.record !== undefined && one.isLive !== true;

const anything = selectWith('');
const ofProvider: readonly Expression[] = [
  ...WINDOWS.flatMap((window) => [
    ...QUANTILES.map((quantile) => windowLatency(anything, quantile, window)),
    ...windowCounts(anything, window),
  ]),
  ...QUANTILES.map((quantile) => baseLatency(anything, quantile)),
  baseCount(anything),
  ...others(anything),
];

/** Every metric of a provider that an answer may hold. */
export const PROVIDER_METRICS: readonly string[] = ofProvider.map(({ q }) => q);
/** Name of a recorded series → its metric, for the series that are read. */
export const RECORDED_METRICS: ReadonlyMap<string, string> = new Map(
  ofProvider.flatMap((one) => (isRead(one) ? [[one.record, one.q] as const] : [])),
);

/** `query`: the query computes all metrics; `recorded`: recording rules have computed most of them (from 500 Orbs). */
export const MODES = ['query', 'recorded'] as const;
export type PrometheusMode = (typeof MODES)[number];

const named = ({ q, expr }: Expression): string => `label_replace(${expr}, "q", "${q}", "", "")`;

/** Contents of the query of one evaluation. */
export interface QueryContent {
  /** Quantiles of the Orbs; 0.5 is included in any case. */
  readonly quantiles: ReadonlySet<Quantile>;
  /** Whether to include the baseline: it costs more than half of the query, so not every evaluation includes it. */
  readonly base: boolean;
  /**
   * Matcher for the series of our own processes, as `parseMatcher` returns it; default: any. Recorded series have lost
   * such labels.
   */
  readonly matcher?: string;
}

function wantedExpressions(select: Select, { quantiles, base }: QueryContent): readonly Expression[] {
  const chosen = QUANTILES.filter((quantile) => quantile === 0.5 || quantiles.has(quantile));
  const bases = QUANTILES.filter((quantile) => quantiles.has(quantile));
  return [
    ...WINDOWS.flatMap((window) => [
      ...chosen.map((quantile) => windowLatency(select, quantile, window)),
      ...windowCounts(select, window),
    ]),
    ...others(select),
    ...(base ? [...bases.map((quantile) => baseLatency(select, quantile)), baseCount(select)] : []),
  ];
}

/** One query for all metrics: one answer, one evaluation time (failover.md §3.1). */
export function metricsQuery(mode: PrometheusMode, wanted: QueryContent): string {
  const select = selectWith(wanted.matcher ?? '');
  const expressions = wantedExpressions(select, wanted);
  if (mode === 'query') return [...expressions, ageOf(select)].map(named).join(' or ');
  const raw = expressions.filter((one) => !isRead(one));
  return ['{__name__=~"orb:.+"}', ...[...raw, ageOf(select), RULES_AGE].map(named)].join(' or ');
}

/** `sha256:` and hex of a query as it was sent. */
export const queryDigest = (query: string): string => `sha256:${createHash('sha256').update(query).digest('hex')}`;

const text = (mode: PrometheusMode, { record, expr }: Expression): string =>
  mode === 'recorded' && record !== undefined ? record : expr;

/**
 * The expressions that a decision rests on, as a swap receipt shows them (failover.md §10).
 * @param matcher as in `Wanted`; '' for none
 * @returns empty for a quantile or window that no query contains
 */
export function receiptExpressions(
  mode: PrometheusMode,
  quantile: number,
  window: string,
  matcher: string,
): Readonly<Record<string, string>> {
  const chosen = QUANTILES.find((known) => known === quantile);
  const range = WINDOWS.find((known) => known === window);
  if (chosen === undefined || range === undefined) return {};
  const select = selectWith(matcher);
  return {
    pq: text(mode, windowLatency(select, chosen, range)),
    p50: text(mode, windowLatency(select, 0.5, range)),
    probe_p50: text(mode, probeMedian(select)),
  };
}

const ruleOf = ({ record, expr }: Expression): readonly RecordingRule[] =>
  record === undefined ? [] : [{ record, expr }];

/** For people and dashboards; the loop divides the two counts itself. */
const errorRatio = (window: WindowName): RecordingRule => ({
  record: `orb:provider_error_ratio:${window}`,
  expr: `(orb:provider_bad_attempts:increase${window} or orb:provider_attempts:increase${window} * 0) / (orb:provider_attempts:increase${window} > 0)`,
});

/**
 * The recording rules, ordered so that each rule comes after the rules that it uses.
 * @param matcher as in `Wanted`: evaluations in `recorded` mode see the series that the rules selected; '' for none, as
 *   in the chart
 */
export function recordingRules(matcher: string): readonly RecordingRule[] {
  const select = selectWith(matcher);
  return [
    ...WINDOWS.flatMap((window) => [
      ...RECORDED_QUANTILES.map((quantile) => windowLatency(select, quantile, window)).flatMap(ruleOf),
      ...windowCounts(select, window).flatMap(ruleOf),
      errorRatio(window),
    ]),
    ...QUANTILES.map((quantile) => baseLatency(select, quantile)).flatMap(ruleOf),
    ...[baseCount(select), ...others(select)].flatMap(ruleOf),
    { record: 'orb:metrics_age_seconds', expr: ageOf(select).expr },
  ];
}

const escapeLabel = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

/**
 * The operator's latest metrics of one Orb, for `GET /providers/{orb_id}/status` (failover.md §9.3).
 * @param matcher as in `Wanted`; it must match the series of operator and API
 */
export const evaluationQuery = (orb: { readonly namespace: string; readonly orbId: string }, matcher: string): string =>
  selectWith(matcher)(
    '',
    '__name__=~"orb_swap_.+|orb_provider_(breaker|probe)_.+"',
    `orb_namespace="${escapeLabel(orb.namespace)}"`,
    `orb_id="${escapeLabel(orb.orbId)}"`,
  );
