import type { BreakerState, ProviderMetrics, Reading, WindowMetrics, WindowName } from '../../core/failover/metrics.ts';
import type { OrbToMeasure } from '../failover-metrics/port.ts';
import { baseName, latencyName, PROVIDER_METRICS, QUANTILES, RECORDED_METRICS, type Quantile } from './expressions.ts';
import type { Sample } from './vector-stream.ts';

const COLUMNS: ReadonlyMap<string, number> = new Map(PROVIDER_METRICS.map((q, index) => [q, index]));
const FEW = 2;

/** The metrics of one provider in one answer: 34 numbers, 20 000 times at 10 000 Orbs. */
class Row {
  readonly values = new Float64Array(PROVIDER_METRICS.length);
  /** Number of series of each metric, counted up to FEW. */
  readonly series = new Uint8Array(PROVIDER_METRICS.length);
}

/** Row of a provider without a series. */
const NOTHING = new Row();

/** The part of an answer about one Orb. */
export interface OrbMetricsTable {
  readonly providers: readonly string[];
  /**
   * Rows of the providers that have a series. Rows are made as series arrive: making all at once would block the event
   * loop.
   */
  readonly rows: Map<string, Row>;
  /** Seconds; NaN: no series. With several series, the largest (oldest) age. */
  ageSeconds: number;
  rulesAgeSeconds: number;
  /** Whether one of its providers has a metric. */
  hasMetrics: boolean;
}

export const keyOf = ({ namespace, orbId }: Pick<OrbToMeasure, 'namespace' | 'orbId'>): string =>
  `${namespace}/${orbId}`;

const largest = (one: number, other: number): number => (one > other || Number.isNaN(other) ? one : other);

/** The cells of one answer, for the requested Orbs; samples of other Orbs are dropped. */
export class MetricsTable {
  readonly #orbs: ReadonlyMap<string, OrbMetricsTable>;
  #evaluatedAt = Number.NaN;

  constructor(orbs: readonly OrbToMeasure[]) {
    this.#orbs = new Map(
      orbs.map((orb) => [
        keyOf(orb),
        {
          providers: orb.providers,
          rows: new Map(),
          ageSeconds: Number.NaN,
          rulesAgeSeconds: Number.NaN,
          hasMetrics: false,
        },
      ]),
    );
  }

  /** Ms since epoch; NaN before the first sample. */
  get evaluatedAt(): number {
    return this.#evaluatedAt;
  }

  readonly of = (key: string): OrbMetricsTable | undefined => this.#orbs.get(key);

  readonly add = ({ labels, evaluatedAt, value }: Sample): void => {
    this.#evaluatedAt = Math.round(evaluatedAt * 1000);
    const orb = this.#orbs.get(`${labels['orb_namespace'] ?? ''}/${labels['orb_id'] ?? ''}`);
    const name = labels['q'] ?? RECORDED_METRICS.get(labels['__name__'] ?? '');
    if (orb === undefined || name === undefined) return;
    if (name === 'age') orb.ageSeconds = largest(value, orb.ageSeconds);
    else if (name === 'rules_age') orb.rulesAgeSeconds = largest(value, orb.rulesAgeSeconds);
    else addValue(orb, labels['provider'] ?? '', { name, value });
  };
}

function rowOf({ rows, providers }: OrbMetricsTable, provider: string): Row | undefined {
  const there = rows.get(provider);
  if (there !== undefined || !providers.includes(provider)) return there;
  const made = new Row();
  rows.set(provider, made);
  return made;
}

function addValue(orb: OrbMetricsTable, provider: string, { name, value }: { name: string; value: number }): void {
  const row = rowOf(orb, provider);
  const column = COLUMNS.get(name);
  if (row === undefined || column === undefined) return;
  const before = row.series[column] ?? 0;
  row.series[column] = Math.min(before + 1, FEW);
  row.values[column] = before === 0 ? value : largest(value, row.values[column] ?? 0);
  orb.hasMetrics = true;
}

const none = (why: 'absent' | 'nan' | 'infinite' | 'multiple-series'): Reading => ({ kind: 'none', why });

/** An unknown value is neither 0 nor infinite (failover.md §3.2). */
function reading(row: Row, name: string): Reading {
  const column = COLUMNS.get(name) ?? 0;
  const [series = 0, value = 0] = [row.series[column], row.values[column]];
  if (series === 0) return none('absent');
  if (series >= FEW) return none('multiple-series');
  if (Number.isNaN(value)) return none('nan');
  return Number.isFinite(value) ? { kind: 'ok', value } : none('infinite');
}

function milliseconds(row: Row, name: string): Reading {
  const read = reading(row, name);
  return read.kind === 'ok' ? { kind: 'ok', value: read.value * 1000 } : read;
}

/** A count or gauge that can be read; otherwise undefined. */
function known(row: Row, name: string): number | undefined {
  const read = reading(row, name);
  return read.kind === 'ok' ? Math.max(0, read.value) : undefined;
}

/**
 * Number of observations of a latency; with several series, the largest. With several series the latency is unreadable,
 * and this must be reported. A count of 0 would mean no traffic. Rules that compare latencies only under traffic would
 * then pass.
 */
function samples(row: Row, name: string): number {
  const value = row.values[COLUMNS.get(name) ?? 0] ?? 0;
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}

/** Two counts of which one is divided by the other. Without a readable whole the part is 0, and an absent part is 0. */
function pair(row: Row, whole: string, part: string): readonly [number, number] {
  const readable = reading(row, part);
  const all = readable.kind === 'none' && readable.why !== 'absent' ? 0 : (known(row, whole) ?? 0);
  return [all, all > 0 ? Math.min(known(row, part) ?? 0, all) : 0];
}

function windowOf(row: Row, window: WindowName, quantile: Quantile): WindowMetrics {
  const [attempts, bad] = pair(row, `attempts_${window}`, `bad_${window}`);
  return {
    n: samples(row, `n_${window}`),
    p50: milliseconds(row, latencyName(0.5, window)),
    pq: milliseconds(row, latencyName(quantile, window)),
    attempts,
    bad,
  };
}

const BREAKERS: readonly BreakerState[] = ['closed', 'half_open', 'open'];

function transport(row: Row): Pick<ProviderMetrics, 'transportErrors2m' | 'successes2m'> {
  const successes = reading(row, 'successes_2m');
  // Errors without successes mean an outage: unreadable successes must not count as none.
  const isJudged = successes.kind === 'ok' || successes.why === 'absent';
  return {
    transportErrors2m: isJudged ? (known(row, 'transport_2m') ?? 0) : 0,
    successes2m: known(row, 'successes_2m') ?? 0,
  };
}

function probeOf(row: Row): ProviderMetrics['probe'] {
  const [n, ok] = pair(row, 'probes', 'probes_ok');
  const last = known(row, 'last') ?? 0;
  return {
    p50: milliseconds(row, 'probe_p50'),
    n,
    ok,
    streak: Math.floor(known(row, 'streak') ?? 0),
    lastAt: last > 0 ? Math.round(last * 1000) : null,
  };
}

/** The baselines of one Orb, from the last answer that had them. */
export interface Baselines {
  /** Quantile that they were measured for: after a change of `latency.quantile` they no longer apply. */
  readonly quantile: Quantile;
  readonly providers: ReadonlyMap<string, Pick<ProviderMetrics, 'base' | 'baseN'>>;
}

const NO_BASELINE: Pick<ProviderMetrics, 'base' | 'baseN'> = { base: none('absent'), baseN: 0 };

export const quantileOf = ({ quantile }: Pick<OrbToMeasure, 'quantile'>): Quantile =>
  QUANTILES.find((allowed) => allowed === quantile) ?? 0.95;

/** The baselines of an Orb in an answer whose query included them. */
export function baselinesOf({ rows }: OrbMetricsTable, orb: Pick<OrbToMeasure, 'quantile'>): Baselines {
  const quantile = quantileOf(orb);
  const pairs = Array.from(rows, ([provider, row]) => {
    const baseline = { base: milliseconds(row, baseName(quantile)), baseN: samples(row, 'base_n') };
    return [provider, baseline] as const;
  });
  return { quantile, providers: new Map(pairs) };
}

/** All metrics of the providers of an Orb, including providers without a series. */
export function providersOf(
  { rows, providers }: OrbMetricsTable,
  orb: Pick<OrbToMeasure, 'quantile'>,
  baselines: Baselines | undefined,
): Readonly<Record<string, ProviderMetrics>> {
  const quantile = quantileOf(orb);
  const kept = baselines?.quantile === quantile ? baselines.providers : undefined;
  return Object.fromEntries(
    providers.map((provider): readonly [string, ProviderMetrics] => {
      const row = rows.get(provider) ?? NOTHING;
      const metrics = {
        windows: {
          '2m': windowOf(row, '2m', quantile),
          '5m': windowOf(row, '5m', quantile),
          '10m': windowOf(row, '10m', quantile),
        },
        ...(kept?.get(provider) ?? NO_BASELINE),
        probe: probeOf(row),
        ...transport(row),
        breaker: BREAKERS[Math.min(2, Math.floor(known(row, 'breaker') ?? 0))] ?? 'closed',
      };
      return [provider, metrics];
    }),
  );
}
