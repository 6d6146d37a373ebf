import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricsSnapshot, UnusableReason } from '../../core/failover/metrics.ts';
import type { Measurement, MetricsOrigin, MetricsSource, OrbToMeasure } from '../failover-metrics/port.ts';
import type { Clock } from '../time/clock.ts';
import {
  baselinesOf,
  MetricsTable,
  keyOf,
  providersOf,
  quantileOf,
  type Baselines,
  type OrbMetricsTable,
} from './metrics-table.ts';
import { MAX_BYTES, type PrometheusClient } from './client.ts';
import { metricsQuery, queryDigest, receiptExpressions, type PrometheusMode } from './expressions.ts';

export interface PrometheusSourceOptions {
  readonly client: PrometheusClient;
  readonly clock: Clock;
  /** `scrape_interval` of the job of the API processes. */
  readonly scrapeIntervalMs: number;
  readonly mode: PrometheusMode;
  /** Matcher of the series to use, as in `Wanted`; default: any. */
  readonly matcher?: string;
  /** Called for each evaluation that failed as a whole; `detail` may be logged. */
  readonly onUnusable?: (why: UnusableReason, detail: string) => void;
}

const DEADLINE_MS = 10_000;
const BASE_EVERY_MS = 60_000;
const MIN_STALE_MS = 60_000;
/** Number of missed scrapes after which metrics are stale. */
const SCRAPES = 4;
/**
 * An answer has 4 kB per provider (6 kB when recorded), and more with long names. A limit of 32 MiB would stop the loop
 * at 3 000 Orbs. The size of the query bounds the answer, and no part of the answer is kept as text.
 */
const BYTES_PER_PROVIDER = 16 * 1024;
/** As for the `Date` of an answer (failover.md §3.2). This check also works behind a proxy with a clock of its own. */
const MAX_SKEW_MS = 30_000;
/** Orbs between two turns of the event loop: about 1 ms. */
const SLICE_ORBS = 500;

type QueryResult =
  | { readonly kind: 'answered'; readonly cells: MetricsTable; readonly query: string }
  | { readonly kind: 'unusable'; readonly why: UnusableReason; readonly detail: string };
type Judged =
  | { readonly kind: 'fresh'; readonly ageMs: number }
  | { readonly kind: 'unusable'; readonly why: UnusableReason };

/** State of one source; only `measure` changes it, one call at a time. */
class PrometheusSource implements MetricsSource {
  readonly #options: PrometheusSourceOptions;
  readonly #staleMs: number;
  /** Start of the evaluation, ms since epoch. An evaluation that gets no answer counts as failed from then on. */
  #startedAt = 0;
  /** Orb → start of the first of its failed evaluations in a row, ms since epoch. */
  #failing = new Map<string, number>();
  /** Orb → its providers' baselines, from the last answer whose query included them. */
  #baselines: ReadonlyMap<string, Baselines> = new Map();
  /** Monotonic ms. */
  #baseAt = -Infinity;

  constructor(options: PrometheusSourceOptions) {
    this.#options = options;
    this.#staleMs = Math.max(MIN_STALE_MS, SCRAPES * options.scrapeIntervalMs);
  }

  readonly measure: MetricsSource['measure'] = async (orbs, signal) => {
    if (orbs.length === 0) return this.#nothing();
    const began = this.#options.clock.monotonic();
    this.#startedAt = this.#options.clock.now();
    const withBase = began - this.#baseAt >= BASE_EVERY_MS;
    const seen = await this.#ask(orbs, withBase, signal);
    if (seen.kind === 'unusable') return this.#failed(orbs, seen);
    if (withBase) {
      this.#baseAt = began;
      this.#baselines = await baselines(seen.cells, orbs);
    }
    return this.#measured(orbs, seen);
  };

  async #ask(orbs: readonly OrbToMeasure[], base: boolean, signal: AbortSignal): Promise<QueryResult> {
    const { client, mode, clock, matcher = '' } = this.#options;
    const query = metricsQuery(mode, { quantiles: new Set(orbs.map(quantileOf)), base, matcher });
    const cells = new MetricsTable(orbs);
    const providers = orbs.reduce((sum, orb) => sum + orb.providers.length, 0);
    const maxBytes = Math.max(MAX_BYTES, providers * BYTES_PER_PROVIDER);
    const asked = { promql: query, deadlineMs: DEADLINE_MS, maxBytes, onSample: cells.add };
    const result = await client.query(asked, signal);
    if (result.kind === 'unusable') return result;
    if (Math.abs(cells.evaluatedAt - clock.now()) > MAX_SKEW_MS)
      return { kind: 'unusable', why: 'clock', detail: 'the answer was evaluated at another time than ours' };
    return { kind: 'answered', cells, query };
  }

  #nothing(): Measurement {
    const failing = new Map<string, number>();
    this.#failing = failing;
    return { snapshot: () => this.#unusable('', 'empty', failing), origin: null, oldestMs: Infinity };
  }

  #failed(orbs: readonly OrbToMeasure[], { why, detail }: QueryResult & { readonly kind: 'unusable' }): Measurement {
    const now = this.#startedAt;
    const failing = new Map(
      orbs.map((orb) => {
        const key = keyOf(orb);
        return [key, this.#failing.get(key) ?? now];
      }),
    );
    this.#failing = failing;
    this.#options.onUnusable?.(why, detail);
    return { snapshot: (orb) => this.#unusable(keyOf(orb), why, failing), origin: null, oldestMs: Infinity };
  }

  async #measured(
    orbs: readonly OrbToMeasure[],
    { cells, query }: QueryResult & { readonly kind: 'answered' },
  ): Promise<Measurement> {
    const now = this.#startedAt;
    const failing = new Map<string, number>();
    const asked = new Map<string, OrbToMeasure>();
    let oldestMs = -Infinity;
    for (const [index, orb] of orbs.entries()) {
      if (index % SLICE_ORBS === SLICE_ORBS - 1) await nextTurn();
      const key = keyOf(orb);
      asked.set(key, orb);
      const found = cells.of(key);
      if (this.#judge(found).kind === 'unusable') failing.set(key, this.#failing.get(key) ?? now);
      if (found?.hasMetrics === true) oldestMs = Math.max(oldestMs, this.#ageMs(found));
    }
    this.#failing = failing;
    const snapshot = this.#snapshots(asked, cells);
    return { snapshot, origin: this.#origin(cells, query), oldestMs: oldestMs === -Infinity ? Infinity : oldestMs };
  }

  /** Each snapshot is built when it is requested: building all at once would block the event loop at 10 000 Orbs. */
  #snapshots(asked: ReadonlyMap<string, OrbToMeasure>, cells: MetricsTable): Measurement['snapshot'] {
    const [kept, failing] = [this.#baselines, this.#failing];
    return (orb): MetricsSnapshot => {
      const key = keyOf(orb);
      const found = cells.of(key);
      const wanted = asked.get(key);
      const judged = this.#judge(found);
      if (judged.kind === 'unusable' || found === undefined || wanted === undefined)
        return this.#unusable(key, judged.kind === 'unusable' ? judged.why : 'empty', failing);
      const providers = providersOf(found, wanted, kept.get(key));
      return { state: 'fresh', evaluatedAt: cells.evaluatedAt, ageMs: judged.ageMs, providers };
    };
  }

  #judge(found: OrbMetricsTable | undefined): Judged {
    if (found === undefined || !found.hasMetrics) return { kind: 'unusable', why: 'empty' };
    const age = this.#ageMs(found);
    return age <= this.#staleMs ? { kind: 'fresh', ageMs: age } : { kind: 'unusable', why: 'stale' };
  }

  /**
   * Age of the samples, and of the rules that recorded them. Infinity without a series: `age` looks back 10 minutes for
   * samples, and a recorded series stays for 5 minutes.
   */
  #ageMs({ ageSeconds, rulesAgeSeconds }: OrbMetricsTable): number {
    const ages = this.#options.mode === 'recorded' ? [ageSeconds, rulesAgeSeconds] : [ageSeconds];
    return ages.some((age) => Number.isNaN(age)) ? Infinity : Math.round(Math.max(0, ...ages) * 1000);
  }

  #unusable(key: string, why: UnusableReason, failing: ReadonlyMap<string, number>): MetricsSnapshot {
    return { state: 'unusable', why, since: failing.get(key) ?? this.#options.clock.now() };
  }

  #origin(cells: MetricsTable, query: string): MetricsOrigin {
    const { mode, matcher = '' } = this.#options;
    return {
      source: 'prometheus',
      evaluatedAt: cells.evaluatedAt,
      querySha256: queryDigest(query),
      promql: (quantile, window) => receiptExpressions(mode, quantile, window, matcher),
    };
  }
}

async function baselines(cells: MetricsTable, orbs: readonly OrbToMeasure[]): Promise<ReadonlyMap<string, Baselines>> {
  const found = new Map<string, Baselines>();
  for (const [index, orb] of orbs.entries()) {
    if (index % SLICE_ORBS === SLICE_ORBS - 1) await nextTurn();
    const key = keyOf(orb);
    const of = cells.of(key);
    if (of !== undefined) found.set(key, baselinesOf(of, orb));
  }
  return found;
}

/** Metrics of all processes, from one query per evaluation (failover.md §3). */
export const createPrometheusSource = (options: PrometheusSourceOptions): MetricsSource =>
  new PrometheusSource(options);
