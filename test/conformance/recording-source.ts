import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createProcessSource, type ProcessSource } from '../../adapters/failover-metrics/process-source.ts';
import type { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import type { MetricsSnapshot } from '../../core/failover/metrics.ts';
import type { MovedClock } from '../support/fake-clock.ts';
import type { Seconds } from './seconds.ts';

/** Source of the loop's metrics. */
export interface TimedSource extends MetricsSource {
  /** The current evaluation can't continue before time passes. */
  readonly isHeld: () => boolean;
}

/** The metrics that one evaluation was given. */
export interface GivenMetrics {
  readonly second: number;
  readonly metrics: MetricsSnapshot;
}

interface NotedSourceOptions {
  readonly clock: MovedClock;
  readonly seconds: Seconds;
  readonly orbs: OrbMetrics;
  /** Default: the counters of the process. */
  readonly other: ((own: MetricsSource, clock: MovedClock) => TimedSource) | undefined;
}

/** The metrics of the swap loop, with a note of the metrics that it was given. */
export class RecordingSource implements ProcessSource {
  readonly sample: ProcessSource['sample'];
  readonly #source: TimedSource;
  readonly #seconds: Seconds;
  /** Evaluations that wait for their metrics. */
  #waiting = 0;
  #evaluated: GivenMetrics | undefined;

  constructor({ clock, seconds, orbs, other }: NotedSourceOptions) {
    const own = createProcessSource({ clock, series: { swapping: () => orbs.swapping() } });
    this.sample = own.sample;
    this.#source = other?.(own, clock) ?? { ...own, isHeld: () => false };
    this.#seconds = seconds;
  }

  readonly measure: MetricsSource['measure'] = async (orbs, signal) => {
    this.#waiting += 1;
    try {
      const measured = await this.#source.measure(orbs, signal);
      for (const orb of orbs) this.#evaluated = { second: this.#seconds.passed, metrics: measured.snapshot(orb) };
      return measured;
    } finally {
      this.#waiting -= 1;
    }
  };

  /** Whether an evaluation waits for more than time. */
  get isBusy(): boolean {
    return this.#waiting > 0 && !this.#source.isHeld();
  }

  /** Returns once the metrics that the newest evaluation was given. */
  takeEvaluated(): GivenMetrics | undefined {
    const evaluated = this.#evaluated;
    this.#evaluated = undefined;
    return evaluated;
  }
}
