import type { Clock } from '../../adapters/time/clock.ts';

// An API server that starts answers 403 until it knows the roles: 450 ms were measured (operator.md A3).
const LASTING_MS = 10_000;
const LASTING_TIMES = 2;

/** Distinguishes a right that was removed from a right that an API server does not know yet. */
export class Refusals {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #since = 0;
  #times = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a further 403. */
  count(): void {
    if (this.#times === 0) this.#since = this.#clock.monotonic();
    this.#times += 1;
  }

  /** A request was allowed, or the server is away and may start again. */
  over(): void {
    this.#times = 0;
  }

  get isRefused(): boolean {
    return this.#times > 0;
  }

  /** At least two refusals over 10 s, without another result in between. */
  get haveLasted(): boolean {
    return this.#times >= LASTING_TIMES && this.#clock.monotonic() - this.#since >= LASTING_MS;
  }
}
