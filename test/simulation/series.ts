import { histogramQuantile } from '../../core/failover/histogram-quantile.ts';
import type { Reading } from '../../core/failover/metrics.ts';
import { TICK_S, type Answered } from './workload.ts';

// failover.md §2, in ms.
const BOUNDS = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000, 15_000, 30_000, 60_000, 120_000];
const OK = BOUNDS.length + 1;
const BAD = OK + 1;
const WIDTH = BAD + 1;

const bucketOf = (ms: number): number => {
  const index = BOUNDS.findIndex((bound) => ms <= bound);
  return index === -1 ? BOUNDS.length : index;
};

/** Counters of one provider and source at every scrape: windows begin and end at a scrape. */
export class Series {
  readonly #now = new Float64Array(WIDTH);
  readonly #scrapes: Float64Array[] = [];
  streak = 0;
  /** Second of the newest observation; undefined before the first. */
  lastAt: number | undefined;

  observe({ ok, ms }: Answered, second: number): void {
    const column = ok ? OK : BAD;
    this.#now[column] = (this.#now[column] ?? 0) + 1;
    const bucket = bucketOf(ms);
    if (ok) this.#now[bucket] = (this.#now[bucket] ?? 0) + 1;
    this.streak = ok ? this.streak + 1 : 0;
    this.lastAt = second;
  }

  /** The scrape of a tick: the next scrape sees later observations. */
  scrape(): void {
    this.#scrapes.push(Float64Array.from(this.#now));
  }

  /** Increase over a window that ended `offset` seconds before the last scrape. */
  window(seconds: number, offset = 0): SeriesWindow {
    const end = this.#scrapes.length - 1 - offset / TICK_S;
    const last = this.#scrapes[end];
    const first = this.#scrapes[end - seconds / TICK_S];
    return new SeriesWindow(
      Float64Array.from({ length: WIDTH }, (_, index) => (last?.[index] ?? 0) - (first?.[index] ?? 0)),
    );
  }
}

class SeriesWindow {
  readonly #counts: Float64Array;

  constructor(counts: Float64Array) {
    this.#counts = counts;
  }

  get ok(): number {
    return this.#counts[OK] ?? 0;
  }

  get bad(): number {
    return this.#counts[BAD] ?? 0;
  }

  quantile(q: number): Reading {
    return histogramQuantile(q, BOUNDS, this.#counts.subarray(0, OK));
  }
}
