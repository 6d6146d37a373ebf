import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricsSource, OrbToMeasure } from '../../adapters/failover-metrics/port.ts';
import type { LeaderTask } from '../../adapters/kube/manager.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import { evaluateOrb, swappingOrb, type EvaluateDeps } from './evaluate.ts';
import type { EvaluatedOrb } from '../failover/evaluated-orbs.ts';

export interface FailoverLoopDeps extends EvaluateDeps {
  readonly source: MetricsSource;
  readonly clock: Clock;
  /** Ms from the start of one tick to the start of the next. */
  readonly tickMs: number;
}

/** Longest work before other tasks get a turn, ms. */
const SLICE_MS = 4;

const aborted = (signal: AbortSignal): boolean => signal.aborted;

/** An Orb to evaluate. */
interface Wanted extends OrbToMeasure, EvaluatedOrb {
  /** Shortest time between two evaluations, ms. */
  readonly everyMs: number;
}

/** The swap loop of the leader (failover.md §1): each tick evaluates all Orbs; one tick at a time. */
class FailoverLoop implements LeaderTask {
  readonly name = 'failover';
  readonly #deps: FailoverLoopDeps;
  /** Monotonic ms. */
  #sliceBegan = 0;

  constructor(deps: FailoverLoopDeps) {
    this.#deps = deps;
  }

  readonly run: LeaderTask['run'] = async (signal) => {
    const { orbs, gauges } = this.#deps.context.failover;
    orbs.reset();
    try {
      await this.#ticks(signal);
    } finally {
      orbs.reset();
      gauges.clear();
    }
  };

  /** Runs ticks. A tick is skipped while the last one still runs. */
  async #ticks(signal: AbortSignal): Promise<void> {
    const { clock, tickMs, context, logger } = this.#deps;
    let running: Promise<void> | undefined;
    // Timers are not exact. The time of a tick is when it was due, rounded once for all ticks.
    let dueAt = Math.floor(clock.monotonic());
    const offset = context.failover.moment().now - dueAt;
    while (!aborted(signal)) {
      if (running === undefined) {
        running = this.#tick(dueAt + offset, signal)
          .catch((error: unknown) => {
            if (!aborted(signal)) logger.error('a tick of the swap loop failed', { error });
          })
          .finally(() => {
            running = undefined;
          });
      } else {
        context.failover.gauges.skipped();
      }
      dueAt = Math.max(dueAt + tickMs, Math.floor(clock.monotonic()));
      await clock.sleep(dueAt - clock.monotonic(), signal).catch(() => undefined);
    }
    await running;
  }

  /** @param at ms since epoch when it was due */
  async #tick(at: number, signal: AbortSignal): Promise<void> {
    const { clock, source, context } = this.#deps;
    const { gauges, orbs } = context.failover;
    const began = clock.monotonic();
    const wanted = await this.#toMeasure(signal);
    orbs.retain(new Set(wanted.keys()));
    const measured = await source.measure([...wanted.values()], signal);
    gauges.oldest(measured.oldestMs);
    for (const [key, { everyMs, ...orb }] of wanted) {
      await this.#turn();
      if (aborted(signal)) return;
      if (orbs.begin(key, orb, { now: began, everyMs })) evaluateOrb(key, { at, measured }, this.#deps);
    }
    gauges.tick((clock.monotonic() - began) / 1000);
  }

  /**
   * Every Orb with `swap_config` is measured in every tick, so that the duration of missing metrics counts from tick to
   * tick.
   */
  async #toMeasure(signal: AbortSignal): Promise<ReadonlyMap<string, Wanted>> {
    const { context, tickMs } = this.#deps;
    const wanted = new Map<string, Wanted>();
    for (const { metadata } of context.stores.orb.list()) {
      await this.#turn();
      if (aborted(signal)) break;
      const key = keyOf(metadata);
      const found = swappingOrb(key, this.#deps);
      if (found === undefined) continue;
      const { latency } = found.config;
      // Ticks are not exact to the millisecond.
      const everyMs = latency.evaluationIntervalMs - tickMs / 2;
      wanted.set(key, { ...found.orb, providers: found.providers, quantile: latency.quantile, everyMs });
    }
    return wanted;
  }

  async #turn(): Promise<void> {
    const { clock } = this.#deps;
    if (clock.monotonic() - this.#sliceBegan < SLICE_MS) return;
    await nextTurn();
    this.#sliceBegan = clock.monotonic();
  }
}

/** Makes the swap loop. Call `run` while this process leads and its caches are filled. */
export const createFailoverLoop = (deps: FailoverLoopDeps): LeaderTask => new FailoverLoop(deps);
