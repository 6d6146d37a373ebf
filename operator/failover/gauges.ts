import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { inSlices } from '../../adapters/telemetry/exposition.ts';
import { systemClock, type Clock } from '../../adapters/time/clock.ts';
import { figuresOf, type Evaluation } from '../../core/failover/figures.ts';
import type { FailoverOutput, RuleId, SwapReason } from '../../core/failover/types.ts';
import { orbFamilies, OrbSeries, type OrbKey } from './orb-gauges.ts';

/** One evaluation, and what of the Orb is shown beside it. */
interface EvaluationShown extends Evaluation {
  /** `latency.quantile` of the Orb. */
  readonly quantile: number;
  /** End of the pin, ms since epoch; null without one. */
  readonly pinExpiresAt: number | null;
}

/** What the swap loop shows (failover.md §2). Orbs are known by namespace and `orb_id`. */
export interface FailoverGauges {
  /** After an evaluation, before its write. The active provider shown is that of the candidates, until `swapped`. */
  readonly set: (orb: OrbKey, output: FailoverOutput, at: EvaluationShown) => void;
  /** After a swap was written. */
  readonly swapped: (orb: OrbKey, from: string, to: string, reason: SwapReason) => void;
  readonly evaluated: (orb: OrbKey, result: RuleId | 'exception') => void;
  /** One tick that ended. */
  readonly tick: (seconds: number) => void;
  /** A tick that was left out, since the last one still ran. */
  readonly skipped: () => void;
  /** Age of the oldest data of the last look; Infinity: nothing is known. */
  readonly oldest: (ms: number) => void;
  /** An Orb is gone: its gauges go at once, its counters 10 min later. */
  readonly remove: (orb: OrbKey) => void;
  /** This process does not lead any more: what it saw last is not shown beside what the next one sees. */
  readonly clear: () => void;
  /** The text of the metrics that grow with the number of Orbs; the registry has the others. */
  readonly slices: () => AsyncGenerator<string>;
}

/** Counters stay so long after their Orb is gone: Prometheus has scraped their last value. */
const KEEP_MS = 10 * 60_000;
const TICK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

function loopMetrics(registry: Registry): Pick<FailoverGauges, 'tick' | 'skipped' | 'oldest'> {
  const registers = [registry];
  const age = new Gauge({
    name: 'orb_prometheus_data_age_seconds',
    help: 'Largest age of the newest sample of an Orb at the last evaluation; +Inf before the first.',
    registers,
  });
  const ticks = new Histogram({
    name: 'orb_swap_tick_duration_seconds',
    help: 'Time of one evaluation of all Orbs, with its query.',
    buckets: TICK_SECONDS,
    registers,
  });
  const skipped = new Counter({
    name: 'orb_swap_tick_skipped_total',
    help: 'Evaluations that were left out, since the last one still ran.',
    registers,
  });
  age.set(Number.POSITIVE_INFINITY);
  return {
    tick: (seconds) => ticks.observe(seconds),
    skipped: () => skipped.inc(),
    oldest: (ms) => age.set(ms / 1000),
  };
}

const keyOf = ({ namespace, orbId }: OrbKey): string => `${namespace}/${orbId}`;

/**
 * Sets up the metrics of the swap loop. Those of Orbs are printed by own code, in slices: prom-client holds the event loop
 * for the time of a whole scrape.
 * @throws Error the registry has them already
 */
export function createFailoverGauges(
  registry: Registry,
  clock: Pick<Clock, 'now' | 'monotonic'> = systemClock,
): FailoverGauges {
  const orbs = new Map<string, OrbSeries>();
  const seriesOf = (orb: OrbKey): OrbSeries => {
    const known = orbs.get(keyOf(orb)) ?? new OrbSeries(orb);
    known.goneAt = undefined;
    orbs.set(keyOf(orb), known);
    return known;
  };
  const forget = (): void => {
    for (const [key, { goneAt }] of orbs) {
      if (goneAt !== undefined && clock.now() - goneAt >= KEEP_MS) orbs.delete(key);
    }
  };
  const loop = loopMetrics(registry);
  return {
    ...loop,
    set: (orb, output, { quantile, pinExpiresAt, ...at }) => {
      const series = seriesOf(orb);
      const { candidates } = output.explain;
      const providers = candidates.map(({ provider }) => provider);
      const active = candidates.find((candidate) => candidate.active)?.provider ?? output.next.activeProvider;
      series.prepare(providers);
      series.gauges = { figures: figuresOf(output, at, {}), quantile, providers, active, pinExpiresAt };
    },
    swapped: (orb, from, to, reason) => seriesOf(orb).swapped(from, to, reason),
    evaluated: (orb, result) => seriesOf(orb).evaluated(result),
    remove: (orb) => {
      const series = orbs.get(keyOf(orb));
      if (series === undefined) return;
      series.gauges = undefined;
      series.goneAt ??= clock.now();
      forget();
    },
    clear: () => {
      for (const series of orbs.values()) series.gauges = undefined;
      loop.oldest(Number.POSITIVE_INFINITY);
    },
    slices: () => {
      forget();
      return inSlices(orbFamilies(orbs), clock);
    },
  };
}
