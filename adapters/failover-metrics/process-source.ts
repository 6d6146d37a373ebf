import { histogramQuantile } from '../../core/failover/histogram-quantile.ts';
import type {
  MetricsSnapshot,
  ProviderMetrics,
  Reading,
  WindowMetrics,
  WindowName,
} from '../../core/failover/metrics.ts';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';
import type { SwappingProvider } from '../telemetry/orb-metrics.ts';
import type { ProviderCounts } from '../telemetry/provider-series.ts';
import type { SourceCounts } from '../telemetry/source-series.ts';
import type { Clock } from '../time/clock.ts';
import { CounterHistory } from './counter-history.ts';
import type { MetricsSource, OrbToMeasure } from './port.ts';

interface ProcessSourceOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Counters of the Orbs with `swap_config` in this process. */
  readonly series: { readonly swapping: () => Iterable<SwappingProvider> };
  /** Time between two samples. Default 5000. */
  readonly scrapeMs?: number;
}

/** The metrics of this process alone, for a platform that is a single process. */
export interface ProcessSource extends MetricsSource {
  /** Takes a sample of all counters. Must be called every `scrapeMs`; an evaluation calls it too. */
  readonly sample: () => void;
}

type Series = SwappingProvider['series'];

/** A provider whose samples are kept. */
interface Tracked {
  readonly series: Series;
  readonly history: CounterHistory;
}

/** Increase of one source's counters in one window. */
interface Increase {
  /** Undefined: the series did not exist. */
  readonly buckets: readonly number[] | undefined;
  readonly of: (outcome: keyof SourceCounts['outcomes']) => number;
}

const SCRAPE_MS = 5000;
const MINUTE_MS = 60_000;
const WINDOW_MS = { '2m': 2 * MINUTE_MS, '5m': 5 * MINUTE_MS, '10m': 10 * MINUTE_MS } as const satisfies Record<
  WindowName,
  number
>;
const HOUR_MS = 60 * MINUTE_MS;
const MEDIAN = 0.5;
/** Outcomes that count as an attempt and against the provider (failover.md §2). */
const BAD = ['error', 'timeout', 'rate_limited', 'blocked'] as const;
const ABSENT: Reading = { kind: 'none', why: 'absent' };

const keyOf = (namespace: string, orbId: string): string => `${namespace}/${orbId}`;

/** The increase of a counter. A counter that fell was restarted from 0. */
const grown = (start = 0, end = 0): number => (end < start ? end : end - start);

const increaseOf = (start: SourceCounts | undefined, end: SourceCounts | undefined): Increase => ({
  buckets: end?.buckets.map((count, index) => grown(start?.buckets[index], count)),
  of: (outcome) => grown(start?.outcomes[outcome], end?.outcomes[outcome]),
});

const badOf = ({ of }: Increase): number => BAD.reduce((all, outcome) => all + of(outcome), 0);

const samplesOf = ({ buckets = [] }: Increase): number => buckets.reduce((all, count) => all + count, 0);

/** @returns ms; `absent` when the series did not exist in that window */
function quantileOf(q: number, { buckets }: Increase): Reading {
  if (buckets === undefined) return ABSENT;
  const reading = histogramQuantile(q, SECONDS_BUCKETS, buckets);
  return reading.kind === 'ok' ? { kind: 'ok', value: reading.value * 1000 } : reading;
}

/** The metrics of one provider at one moment. */
class WindowReader {
  readonly #tracked: Tracked;
  readonly #at: number;

  constructor(tracked: Tracked, at: number) {
    this.#tracked = tracked;
    this.#at = at;
  }

  metrics(quantile: number): ProviderMetrics {
    const health = this.#tracked.series.health();
    const base = this.#traffic(HOUR_MS, WINDOW_MS['5m']);
    const recent = this.#counts(WINDOW_MS['2m'], 0);
    return {
      windows: {
        '2m': this.#window('2m', quantile),
        '5m': this.#window('5m', quantile),
        '10m': this.#window('10m', quantile),
      },
      base: quantileOf(quantile, base),
      baseN: samplesOf(base),
      probe: { ...this.#probes(), streak: health.streak, lastAt: health.lastProbe?.at ?? null },
      transportErrors2m: grown(recent?.start.transportErrors, recent?.end.transportErrors),
      successes2m: grown(recent?.start.traffic.outcomes.success, recent?.end.traffic.outcomes.success),
      breaker: health.breaker,
    };
  }

  #window(name: WindowName, quantile: number): WindowMetrics {
    const increase = this.#traffic(WINDOW_MS[name], 0);
    const bad = badOf(increase);
    return {
      n: samplesOf(increase),
      p50: quantileOf(MEDIAN, increase),
      pq: quantileOf(quantile, increase),
      attempts: bad + increase.of('success'),
      bad,
    };
  }

  #probes(): Pick<ProviderMetrics['probe'], 'p50' | 'n' | 'ok'> {
    const counts = this.#counts(WINDOW_MS['5m'], 0);
    const increase = increaseOf(counts?.start.probe, counts?.end.probe);
    const ok = increase.of('success');
    return { p50: quantileOf(MEDIAN, increase), n: badOf(increase) + ok, ok };
  }

  #traffic(windowMs: number, offsetMs: number): Increase {
    const counts = this.#counts(windowMs, offsetMs);
    return increaseOf(counts?.start.traffic, counts?.end.traffic);
  }

  #counts(
    windowMs: number,
    offsetMs: number,
  ): { readonly start: ProviderCounts; readonly end: ProviderCounts } | undefined {
    const to = this.#at - offsetMs;
    return this.#tracked.history.between(to - windowMs, to);
  }
}

/** Providers whose samples are kept, by Orb. */
type TrackedOrbs = ReadonlyMap<string, ReadonlyMap<string, Tracked>>;

/** Takes a sample of every provider, and drops providers that are gone. */
function sampled(known: TrackedOrbs, { series, scrapeMs = SCRAPE_MS }: ProcessSourceOptions, at: number): TrackedOrbs {
  const next = new Map<string, Map<string, Tracked>>();
  for (const each of series.swapping()) {
    const key = keyOf(each.namespace, each.orbId);
    const before = known.get(key)?.get(each.provider);
    // Series that were removed and made again count from 0.
    const tracked =
      before?.series === each.series ? before : { series: each.series, history: new CounterHistory(scrapeMs) };
    tracked.history.add(at, each.series.counts());
    const orb = next.get(key) ?? new Map<string, Tracked>();
    next.set(key, orb.set(each.provider, tracked));
  }
  return next;
}

/**
 * Metrics from the counters of this process, with the semantics of the queries of failover.md §3.1. Windows end at the
 * evaluation and start at a sample. They are therefore up to `scrapeMs` longer, and counts are whole numbers. The
 * counters always exist: a snapshot is unusable only when its Orb has no counters.
 */
export function createProcessSource(options: ProcessSourceOptions): ProcessSource {
  const { clock } = options;
  let known: TrackedOrbs = new Map();
  const emptySince = new Map<string, number>();
  const sample = (): void => {
    known = sampled(known, options, clock.monotonic());
  };

  const snapshotAt = (orb: OrbToMeasure, now: number, at: number): MetricsSnapshot => {
    const tracked = known.get(keyOf(orb.namespace, orb.orbId));
    if (tracked === undefined) {
      return { state: 'unusable', why: 'empty', since: emptySince.get(keyOf(orb.namespace, orb.orbId)) ?? now };
    }
    const providers = orb.providers.flatMap((provider): readonly [string, ProviderMetrics][] => {
      const one = tracked.get(provider);
      return one === undefined ? [] : [[provider, new WindowReader(one, at).metrics(orb.quantile)]];
    });
    return { state: 'fresh', evaluatedAt: now, ageMs: 0, providers: Object.fromEntries(providers) };
  };

  const noteEmpty = (orbs: ReadonlyMap<string, OrbToMeasure>, now: number): void => {
    for (const key of emptySince.keys()) if (!orbs.has(key) || known.has(key)) emptySince.delete(key);
    for (const key of orbs.keys()) if (!known.has(key) && !emptySince.has(key)) emptySince.set(key, now);
  };

  return {
    sample,
    measure: (orbs) => {
      sample();
      const asked = new Map(orbs.map((orb) => [keyOf(orb.namespace, orb.orbId), orb]));
      const now = clock.now();
      const at = clock.monotonic();
      noteEmpty(asked, now);
      return Promise.resolve({
        // Computed at the call: the Orbs of a tick are decided one after the other, with breaks.
        snapshot: ({ namespace, orbId }) => {
          const orb = asked.get(keyOf(namespace, orbId));
          return orb === undefined ? { state: 'unusable', why: 'empty', since: now } : snapshotAt(orb, now, at);
        },
        origin: { source: 'process', evaluatedAt: now, querySha256: null, promql: () => ({}) },
        oldestMs: emptySince.size === asked.size && asked.size > 0 ? Number.POSITIVE_INFINITY : 0,
      });
    },
  };
}
