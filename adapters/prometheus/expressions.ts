import { createHash } from 'node:crypto';
import { WINDOWS, type WindowName } from '../../core/failover/types.ts';

/** Quantiles that `latency.quantile` may ask for; 0.5 is always there. */
export const QUANTILES = [0.5, 0.9, 0.95, 0.99] as const;
export type Quantile = (typeof QUANTILES)[number];

/** What one query gives back under the name `q`. */
interface Expression {
  readonly q: string;
  readonly expr: string;
  /** Series of the recording rules that holds the same; undefined: there is none, it is always asked raw. */
  readonly record?: string;
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
/** Neither says anything of the provider (failover.md §2). */
const COUNTED = 'outcome!~"client_error|cancelled"';
const BAD = 'outcome=~"error|timeout|rate_limited|blocked"';
/** The hour that ended 5 minutes ago. */
const BASE = '[1h] offset 5m';
/** The rules record these two only: each more is a third of all rules again. */
const RECORDED_QUANTILES: readonly Quantile[] = [0.95, 0.5];

const percentile = (quantile: Quantile): string => `p${Math.round(quantile * 100)}`;

const latency = (quantile: Quantile, source: 'traffic' | 'probe', range: string): string =>
  `histogram_quantile(${quantile.toFixed(2)}, sum by (orb_namespace, orb_id, provider, le) (rate(${BUCKETS}{source="${source}"}${range})))`;
const increase = (selector: string, range: string): string => `${BY} (increase(${selector}${range}))`;
const largest = (gauge: string): string => `max by (orb_namespace, orb_id, provider) (${gauge})`;

export const latencyName = (quantile: Quantile, window: WindowName): string => `${percentile(quantile)}_${window}`;
export const baseName = (quantile: Quantile): string => `base_${percentile(quantile)}`;

function windowLatency(quantile: Quantile, window: WindowName): Expression {
  const asked = { q: latencyName(quantile, window), expr: latency(quantile, 'traffic', `[${window}]`) };
  if (!RECORDED_QUANTILES.includes(quantile)) return asked;
  return { ...asked, record: `orb:provider_latency_seconds:${percentile(quantile)}_${window}` };
}

const windowCounts = (window: WindowName): readonly Expression[] => [
  {
    q: `n_${window}`,
    expr: increase(`${COUNT}{source="traffic"}`, `[${window}]`),
    record: `orb:provider_latency_samples:increase${window}`,
  },
  {
    q: `attempts_${window}`,
    expr: increase(`${REQUESTS}{source="traffic",${COUNTED}}`, `[${window}]`),
    record: `orb:provider_attempts:increase${window}`,
  },
  {
    q: `bad_${window}`,
    expr: increase(`${REQUESTS}{source="traffic",${BAD}}`, `[${window}]`),
    record: `orb:provider_bad_attempts:increase${window}`,
  },
];

function baseLatency(quantile: Quantile): Expression {
  const asked = { q: baseName(quantile), expr: latency(quantile, 'traffic', BASE) };
  return quantile === 0.95 ? { ...asked, record: 'orb:provider_latency_seconds:base_p95_1h' } : asked;
}

const BASE_COUNT: Expression = {
  q: 'base_n',
  expr: increase(`${COUNT}{source="traffic"}`, BASE),
  record: 'orb:provider_latency_samples:base_increase1h',
};

const OTHERS: readonly Expression[] = [
  { q: 'probe_p50', expr: latency(0.5, 'probe', '[5m]'), record: 'orb:provider_probe_latency_seconds:p50_5m' },
  {
    q: 'probes',
    expr: increase(`${REQUESTS}{source="probe",${COUNTED}}`, '[5m]'),
    record: 'orb:provider_probes:increase5m',
  },
  {
    q: 'probes_ok',
    expr: increase(`${REQUESTS}{source="probe",outcome="success"}`, '[5m]'),
    record: 'orb:provider_probes_ok:increase5m',
  },
  {
    q: 'successes_2m',
    expr: increase(`${REQUESTS}{source="traffic",outcome="success"}`, '[2m]'),
    record: 'orb:provider_successes:increase2m',
  },
  {
    q: 'transport_2m',
    expr: increase('orb_provider_transport_errors_total', '[2m]'),
    record: 'orb:provider_transport_errors:increase2m',
  },
  { q: 'breaker', expr: largest('orb_provider_breaker_state'), record: 'orb:provider_breaker_state:max' },
  {
    q: 'streak',
    expr: largest('orb_provider_probe_consecutive_successes'),
    record: 'orb:provider_probe_streak:max',
  },
  {
    q: 'last',
    expr: largest('orb_provider_probe_last_timestamp_seconds'),
    record: 'orb:provider_probe_last_seconds:max',
  },
];

/** The timestamp of an instant result is that of the evaluation: the sample's own needs a subquery (failover.md §3.2). */
const AGE: Expression = {
  q: 'age',
  expr: `time() - max by (orb_namespace, orb_id) (max_over_time(timestamp(${REQUESTS}{source="traffic",outcome="success"})[10m:15s]))`,
};
/** How long ago the rules ran: what they recorded stays readable for 5 minutes after they stopped. */
const RULES_AGE: Expression = {
  q: 'rules_age',
  expr: 'time() - max by (orb_namespace, orb_id) (timestamp(orb:provider_attempts:increase2m))',
};

const ofProvider: readonly Expression[] = [
  ...WINDOWS.flatMap((window) => [
    ...QUANTILES.map((quantile) => windowLatency(quantile, window)),
    ...windowCounts(window),
  ]),
  ...QUANTILES.map(baseLatency),
  BASE_COUNT,
  ...OTHERS,
];

/** Every figure of a provider that an answer may hold. */
export const PROVIDER_FIGURES: readonly string[] = ofProvider.map(({ q }) => q);
/** Name of a recorded series → its figure. */
export const RECORDED_FIGURES: ReadonlyMap<string, string> = new Map(
  ofProvider.flatMap(({ q, record }) => (record === undefined ? [] : [[record, q] as const])),
);

/** `query`: everything is computed when asked; `recorded`: recording rules have done most of it (from 500 Orbs). */
export const MODES = ['query', 'recorded'] as const;
export type PrometheusMode = (typeof MODES)[number];

const named = ({ q, expr }: Expression): string => `label_replace(${expr}, "q", "${q}", "", "")`;

/** What one look asks for. */
export interface Wanted {
  /** Of the Orbs; 0.5 is asked for in any case. */
  readonly quantiles: ReadonlySet<Quantile>;
  /** The baseline costs more than half of the query: not on every look. */
  readonly base: boolean;
}

function wantedExpressions({ quantiles, base }: Wanted): readonly Expression[] {
  const chosen = QUANTILES.filter((quantile) => quantile === 0.5 || quantiles.has(quantile));
  return [
    ...WINDOWS.flatMap((window) => [
      ...chosen.map((quantile) => windowLatency(quantile, window)),
      ...windowCounts(window),
    ]),
    ...OTHERS,
    ...(base ? [...QUANTILES.filter((quantile) => quantiles.has(quantile)).map(baseLatency), BASE_COUNT] : []),
  ];
}

/** One query for all figures: one answer, one evaluation time (failover.md §3.1). */
export function lookQuery(mode: PrometheusMode, wanted: Wanted): string {
  const expressions = wantedExpressions(wanted);
  if (mode === 'query') return [...expressions, AGE].map(named).join(' or ');
  const raw = expressions.filter(({ record }) => record === undefined);
  return ['{__name__=~"orb:.+"}', ...[...raw, AGE, RULES_AGE].map(named)].join(' or ');
}

/** `sha256:` and hex of a query as it was sent. */
export const queryDigest = (query: string): string => `sha256:${createHash('sha256').update(query).digest('hex')}`;

const text = (mode: PrometheusMode, { record, expr }: Expression): string =>
  mode === 'recorded' && record !== undefined ? record : expr;

/**
 * The expressions that a decision rests on, as a swap receipt shows them (failover.md §10).
 * @returns empty for a quantile or window that nobody can have asked for
 */
export function receiptExpressions(
  mode: PrometheusMode,
  quantile: number,
  window: string,
): Readonly<Record<string, string>> {
  const chosen = QUANTILES.find((known) => known === quantile);
  const range = WINDOWS.find((known) => known === window);
  if (chosen === undefined || range === undefined) return {};
  const probe = OTHERS.find(({ q }) => q === 'probe_p50');
  return {
    pq: text(mode, windowLatency(chosen, range)),
    p50: text(mode, windowLatency(0.5, range)),
    ...(probe === undefined ? {} : { probe_p50: text(mode, probe) }),
  };
}

const ruleOf = ({ record, expr }: Expression): readonly RecordingRule[] =>
  record === undefined ? [] : [{ record, expr }];

/** For people and dashboards; the loop divides the two counts itself. */
const errorRatio = (window: WindowName): RecordingRule => ({
  record: `orb:provider_error_ratio:${window}`,
  expr: `(orb:provider_bad_attempts:increase${window} or orb:provider_attempts:increase${window} * 0) / (orb:provider_attempts:increase${window} > 0)`,
});

/** The recording rules of the chart, in an order in which each finds what it uses. */
export const RECORDING_RULES: readonly RecordingRule[] = [
  ...WINDOWS.flatMap((window) => [
    ...RECORDED_QUANTILES.map((quantile) => windowLatency(quantile, window)).flatMap(ruleOf),
    ...windowCounts(window).flatMap(ruleOf),
    errorRatio(window),
  ]),
  ...[...QUANTILES.map(baseLatency), BASE_COUNT, ...OTHERS].flatMap(ruleOf),
  { record: 'orb:metrics_age_seconds', expr: AGE.expr },
];

const escapeLabel = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

/** What the operator last saw of one Orb, for `GET /providers/{orb_id}/status` (failover.md §9.3). */
export const figuresQuery = (orb: { readonly namespace: string; readonly orbId: string }): string =>
  `{__name__=~"orb_swap_.+|orb_provider_(breaker|probe)_.+",orb_namespace="${escapeLabel(orb.namespace)}",orb_id="${escapeLabel(orb.orbId)}"}`;
