import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { inSlices } from '../../adapters/telemetry/exposition.ts';
import { systemClock, type Clock } from '../../adapters/time/clock.ts';
import { summaryOf, type EvaluationTime } from '../../core/failover/evaluation-summary.ts';
import type { FailoverOutput, RuleId, SwapReason } from '../../core/failover/types.ts';
import { orbFamilies, OrbSeries, type OrbKey } from './orb-gauges.ts';

/** One evaluation, with the facts of the Orb that are shown beside it. */
interface EvaluationShown extends EvaluationTime {
  /** `latency.quantile` of the Orb. */
  readonly quantile: number;
  /** End of the pin, ms since epoch; null without one. */
  readonly pinExpiresAt: number | null;
}

/** Metrics of the swap loop (failover.md §2). Orbs are labelled by namespace and `orb_id`. */
export interface FailoverGauges {
  /**
   * Called after an evaluation, before its write. The active provider comes from the candidates until `swapped` is
   * called.
   */
  readonly set: (orb: OrbKey, output: FailoverOutput, at: EvaluationShown) => void;
  /** Called after a swap was written. */
  readonly swapped: (orb: OrbKey, from: string, to: string, reason: SwapReason) => void;
  readonly evaluated: (orb: OrbKey, result: RuleId | 'exception') => void;
  /** Called after each tick. */
  readonly tick: (seconds: number) => void;
  /** Called for a skipped tick: the last one was still running. */
  readonly skipped: () => void;
  /** Age of the oldest data of the last evaluation; Infinity when unknown. */
  readonly oldest: (ms: number) => void;
  /** Removes an Orb: its gauges at once, its counters 10 min later. */
  readonly remove: (orb: OrbKey) => void;
  /** Called when this process stops leading. Its last values must not be shown beside those of the next leader. */
  readonly clear: () => void;
  /** Text of the metrics whose number grows with the Orbs; the registry has the others. */
  readonly slices: () => AsyncGenerator<string>;
}

/** Counters stay this long after their Orb is gone, so that Prometheus scrapes their last value. */
const KEEP_MS = 10 * 60_000;
const TICK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The age of the last tick. A process that does not lead shows none, or its old tick would stand beside the leader's. */
function tickAge(
  registry: Registry,
  clock: Pick<Clock, 'monotonic'>,
): Pick<FailoverGauges, 'clear'> & {
  readonly ticked: () => void;
} {
  let lastAt: number | undefined;
  const age: Gauge = new Gauge({
    name: 'orb_swap_tick_age_seconds',
    help: 'Time since the end of the last evaluation of all Orbs; only where the loop runs.',
    registers: [registry],
    collect: () => {
      if (lastAt === undefined) age.remove();
      else age.set((clock.monotonic() - lastAt) / 1000);
    },
  });
  return {
    ticked: () => {
      lastAt = clock.monotonic();
    },
    clear: () => {
      lastAt = undefined;
    },
  };
}

function loopMetrics(
  registry: Registry,
  clock: Pick<Clock, 'monotonic'>,
): Pick<FailoverGauges, 'tick' | 'skipped' | 'oldest' | 'clear'> {
  const registers = [registry];
  const { ticked, clear } = tickAge(registry, clock);
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
    help: 'Evaluations that were skipped because the previous one still ran.',
    registers,
  });
  age.set(Number.POSITIVE_INFINITY);
  return {
    tick: (seconds) => {
      ticks.observe(seconds);
      ticked();
    },
    clear,
    skipped: () => skipped.inc(),
    oldest: (ms) => age.set(ms / 1000),
  };
}

const keyOf = ({ namespace, orbId }: OrbKey): string => `${namespace}/${orbId}`;

/**
 * Sets up the metrics of the swap loop. This file prints those of Orbs itself, in slices: prom-client would block the
 * event loop for a whole scrape.
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
  const loop = loopMetrics(registry, clock);
  return {
    ...loop,
    set: (orb, output, { quantile, pinExpiresAt, ...at }) => {
      const series = seriesOf(orb);
      const { candidates } = output.explain;
      const providers = candidates.map(({ provider }) => provider);
      const active = candidates.find((candidate) => candidate.active)?.provider ?? output.next.activeProvider;
      series.prepare(providers);
      series.gauges = { summary: summaryOf(output, at, {}), quantile, providers, active, pinExpiresAt };
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
      loop.clear();
    },
    slices: () => {
      forget();
      return inSlices(orbFamilies(orbs), clock);
    },
  };
}
