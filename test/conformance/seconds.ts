import type { MovedClock } from '../support/fake-clock.ts';

/** Whole seconds since a moment. */
export class Seconds {
  readonly #clock: MovedClock;
  readonly #start: number;

  constructor(clock: MovedClock) {
    this.#clock = clock;
    this.#start = clock.monotonic();
  }

  get passed(): number {
    return Math.floor((this.#clock.monotonic() - this.#start) / 1000);
  }

  /** Waits for the next whole second. */
  async next(): Promise<void> {
    // Timers count whole milliseconds, and this timer must not be early.
    await this.#clock.advance(Math.ceil(this.#start + (this.passed + 1) * 1000 - this.#clock.monotonic()));
  }

  /** The second that a wall clock time falls in. */
  of(time: number): number {
    return Math.floor((time - this.#clock.now() + this.#clock.monotonic() - this.#start) / 1000);
  }
}
