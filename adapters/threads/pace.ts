import type { Clock } from '../time/clock.ts';

/** So long after a run began the work still rests, ms: with four runs a second it never has its full speed. */
const BUSY_MS = 250;

/** Rest for each time of work: a quarter of a core is left to it. */
const REST_PER_WORK = 3;

/** Most rest at a time, ms: a slice that took long, because others had the core, is followed by no longer rest. */
const MOST_REST_MS = 50;

const NEVER_ABORTED = new AbortController().signal;

/**
 * Holds the work of a thread back while runs begin in its process: they come first. It never stops: a quarter of a core is
 * left to it, and a whole one when no run begins.
 */
export class Pace {
  readonly #runs: () => number;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #seen: number;
  #busyUntil = Number.NEGATIVE_INFINITY;
  #began: number;

  /** @param runs how many runs began so far */
  constructor(runs: () => number, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#runs = runs;
    this.#clock = clock;
    this.#seen = runs();
    this.#began = clock.monotonic();
  }

  /** Call before a piece of work. */
  begin(): void {
    this.#began = this.#clock.monotonic();
  }

  /** Call after it. @returns what to wait for; undefined: no run began lately */
  rest(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const runs = this.#runs();
    if (runs !== this.#seen) this.#busyUntil = now + BUSY_MS;
    this.#seen = runs;
    if (now >= this.#busyUntil) return undefined;
    const ms = Math.min(MOST_REST_MS, Math.ceil((now - this.#began) * REST_PER_WORK));
    return this.#clock.sleep(ms, NEVER_ABORTED);
  }
}
