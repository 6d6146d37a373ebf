import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricsSnapshot, UnusableReason } from '../../core/failover/metrics.ts';
import type { Measured, MetricsOrigin, MetricsSource, OrbToMeasure } from '../failover-metrics/port.ts';
import type { Clock } from '../time/clock.ts';
import { baselinesOf, Cells, keyOf, providersOf, quantileOf, type Baselines, type OrbCells } from './cells.ts';
import { MAX_BYTES, type PrometheusClient } from './client.ts';
import { lookQuery, queryDigest, receiptExpressions, type PrometheusMode } from './expressions.ts';

export interface PrometheusSourceOptions {
  readonly client: PrometheusClient;
  readonly clock: Clock;
  /** Of the API processes: `scrape_interval` of their job. */
  readonly scrapeIntervalMs: number;
  readonly mode: PrometheusMode;
  /** Of the series that count, as in `Wanted`; default: any. */
  readonly matcher?: string;
  /** Told of each look that failed as a whole; `detail` may be logged. */
  readonly onUnusable?: (why: UnusableReason, detail: string) => void;
}

const DEADLINE_MS = 10_000;
const BASE_EVERY_MS = 60_000;
const MIN_STALE_MS = 60_000;
/** Scrapes that may be missed before figures are old. */
const SCRAPES = 4;
/**
 * An answer has 4 kB for a provider (6 kB when recorded), more with long names: 32 MiB would end the loop at 3 000 Orbs. What
 * is read is bounded by what was asked for, and none of it is kept as text.
 */
const BYTES_PER_PROVIDER = 16 * 1024;
/** As for the `Date` of an answer (failover.md §3.2); here also behind a proxy that has a clock of its own. */
const MAX_SKEW_MS = 30_000;
/** Orbs between two turns for others: about 1 ms. */
const SLICE_ORBS = 500;

type Look =
  | { readonly kind: 'seen'; readonly cells: Cells; readonly query: string }
  | { readonly kind: 'unusable'; readonly why: UnusableReason; readonly detail: string };
type Judged =
  | { readonly kind: 'fresh'; readonly ageMs: number }
  | { readonly kind: 'unusable'; readonly why: UnusableReason };

/** State of one source; `look` owns all of it, one call at a time. */
class PrometheusSource implements MetricsSource {
  readonly #options: PrometheusSourceOptions;
  readonly #staleMs: number;
  /** Begin of the look, ms since epoch: one that waits in vain for its answer has failed from then on. */
  #lookedAt = 0;
  /** Orb → first of the unbroken row of looks that failed for it, ms since epoch. */
  #failing = new Map<string, number>();
  /** Orb → its providers' baselines, of the last answer that was asked for them. */
  #baselines: ReadonlyMap<string, Baselines> = new Map();
  /** Monotonic ms. */
  #baseAt = -Infinity;

  constructor(options: PrometheusSourceOptions) {
    this.#options = options;
    this.#staleMs = Math.max(MIN_STALE_MS, SCRAPES * options.scrapeIntervalMs);
  }

  readonly look: MetricsSource['look'] = async (orbs, signal) => {
    if (orbs.length === 0) return this.#nothing();
    const began = this.#options.clock.monotonic();
    this.#lookedAt = this.#options.clock.now();
    const withBase = began - this.#baseAt >= BASE_EVERY_MS;
    const seen = await this.#ask(orbs, withBase, signal);
    if (seen.kind === 'unusable') return this.#failed(orbs, seen);
    if (withBase) {
      this.#baseAt = began;
      this.#baselines = await baselines(seen.cells, orbs);
    }
    return this.#measured(orbs, seen);
  };

  async #ask(orbs: readonly OrbToMeasure[], base: boolean, signal: AbortSignal): Promise<Look> {
    const { client, mode, clock, matcher = '' } = this.#options;
    const query = lookQuery(mode, { quantiles: new Set(orbs.map(quantileOf)), base, matcher });
    const cells = new Cells(orbs);
    const providers = orbs.reduce((sum, orb) => sum + orb.providers.length, 0);
    const maxBytes = Math.max(MAX_BYTES, providers * BYTES_PER_PROVIDER);
    const asked = { promql: query, deadlineMs: DEADLINE_MS, maxBytes, onSample: cells.add };
    const result = await client.query(asked, signal);
    if (result.kind === 'unusable') return result;
    if (Math.abs(cells.evaluatedAt - clock.now()) > MAX_SKEW_MS)
      return { kind: 'unusable', why: 'clock', detail: 'the answer was evaluated at another time than ours' };
    return { kind: 'seen', cells, query };
  }

  #nothing(): Measured {
    const failing = new Map<string, number>();
    this.#failing = failing;
    return { snapshot: () => this.#unusable('', 'empty', failing), origin: null, oldestMs: Infinity };
  }

  #failed(orbs: readonly OrbToMeasure[], { why, detail }: Look & { readonly kind: 'unusable' }): Measured {
    const now = this.#lookedAt;
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
    { cells, query }: Look & { readonly kind: 'seen' },
  ): Promise<Measured> {
    const now = this.#lookedAt;
    const failing = new Map<string, number>();
    const asked = new Map<string, OrbToMeasure>();
    let oldestMs = -Infinity;
    for (const [index, orb] of orbs.entries()) {
      if (index % SLICE_ORBS === SLICE_ORBS - 1) await nextTurn();
      const key = keyOf(orb);
      asked.set(key, orb);
      const found = cells.of(key);
      if (this.#judge(found).kind === 'unusable') failing.set(key, this.#failing.get(key) ?? now);
      if (found?.hasFigures === true) oldestMs = Math.max(oldestMs, this.#ageMs(found));
    }
    this.#failing = failing;
    const snapshot = this.#snapshots(asked, cells);
    return { snapshot, origin: this.#origin(cells, query), oldestMs: oldestMs === -Infinity ? Infinity : oldestMs };
  }

  /** Built when they are asked for: all at once would hold the event loop at 10 000 Orbs. */
  #snapshots(asked: ReadonlyMap<string, OrbToMeasure>, cells: Cells): Measured['snapshot'] {
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

  #judge(found: OrbCells | undefined): Judged {
    if (found === undefined || !found.hasFigures) return { kind: 'unusable', why: 'empty' };
    const age = this.#ageMs(found);
    return age <= this.#staleMs ? { kind: 'fresh', ageMs: age } : { kind: 'unusable', why: 'stale' };
  }

  /**
   * Of samples, and of the rules that summed them up. Infinity without one: the newest sample is older than the 10 minutes
   * that `age` looks back, the last evaluation older than the 5 minutes that a recorded series stays.
   */
  #ageMs({ ageSeconds, rulesAgeSeconds }: OrbCells): number {
    const ages = this.#options.mode === 'recorded' ? [ageSeconds, rulesAgeSeconds] : [ageSeconds];
    return ages.some((age) => Number.isNaN(age)) ? Infinity : Math.round(Math.max(0, ...ages) * 1000);
  }

  #unusable(key: string, why: UnusableReason, failing: ReadonlyMap<string, number>): MetricsSnapshot {
    return { state: 'unusable', why, since: failing.get(key) ?? this.#options.clock.now() };
  }

  #origin(cells: Cells, query: string): MetricsOrigin {
    const { mode, matcher = '' } = this.#options;
    return {
      source: 'prometheus',
      evaluatedAt: cells.evaluatedAt,
      querySha256: queryDigest(query),
      promql: (quantile, window) => receiptExpressions(mode, quantile, window, matcher),
    };
  }
}

async function baselines(cells: Cells, orbs: readonly OrbToMeasure[]): Promise<ReadonlyMap<string, Baselines>> {
  const found = new Map<string, Baselines>();
  for (const [index, orb] of orbs.entries()) {
    if (index % SLICE_ORBS === SLICE_ORBS - 1) await nextTurn();
    const key = keyOf(orb);
    const of = cells.of(key);
    if (of !== undefined) found.set(key, baselinesOf(of, orb));
  }
  return found;
}

/** Figures of all processes, from one query a look (failover.md §3). */
export const createPrometheusSource = (options: PrometheusSourceOptions): MetricsSource =>
  new PrometheusSource(options);
