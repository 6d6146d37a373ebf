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
  /** One row of counters a scrape; the first row is of none, and the last one is where the next scrape goes. */
  #rows = new Float64Array(2 * WIDTH);
  #scrapes = 0;
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
    this.#scrapes += 1;
    const at = this.#scrapes * WIDTH;
    if (at + WIDTH > this.#rows.length) {
      const more = new Float64Array(2 * this.#rows.length);
      more.set(this.#rows);
      this.#rows = more;
    }
    this.#rows.set(this.#now, at);
  }

  /** Increase over a window that ended `offset` seconds before the last scrape. */
  window(seconds: number, offset = 0): SeriesWindow {
    const end = this.#scrapes - offset / TICK_S;
    return new SeriesWindow(this.#rows, Math.max(end, 0), Math.max(end - seconds / TICK_S, 0));
  }
}

/** Rows are never written again, so a window reads them when it is asked. */
class SeriesWindow {
  readonly #rows: Float64Array;
  readonly #end: number;
  readonly #start: number;

  constructor(rows: Float64Array, end: number, start: number) {
    this.#rows = rows;
    this.#end = end * WIDTH;
    this.#start = start * WIDTH;
  }

  get ok(): number {
    return this.#increase(OK);
  }

  get bad(): number {
    return this.#increase(BAD);
  }

  quantile(q: number): Reading {
    const counts = new Float64Array(OK);
    for (let index = 0; index < OK; index += 1) counts[index] = this.#increase(index);
    return histogramQuantile(q, BOUNDS, counts);
  }

  #increase(column: number): number {
    return (this.#rows[this.#end + column] ?? 0) - (this.#rows[this.#start + column] ?? 0);
  }
}
