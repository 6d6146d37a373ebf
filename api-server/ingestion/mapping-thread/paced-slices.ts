import type { Pace } from '../../../adapters/threads/pace.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { Pauses } from '../worker/pauses.ts';

/** Work between two rests: a timer is no finer than a millisecond, so shorter slices would rest too long. */
const SLICE_MS = 2;

/** Rests between slices of mapping while runs begin: they come first, and a webhook was answered before it is mapped. */
export class PacedSlices implements Pauses {
  readonly #pace: Pick<Pace, 'begin' | 'rest'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began = Number.NEGATIVE_INFINITY;

  constructor(pace: Pick<Pace, 'begin' | 'rest'>, clock: Pick<Clock, 'monotonic'>) {
    this.#pace = pace;
    this.#clock = clock;
  }

  /** To call when work comes: the time without work before it asks for no rest. */
  begin(): void {
    this.#began = this.#clock.monotonic();
    this.#pace.begin();
  }

  /** To call between two pieces of work. */
  rest(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#began < SLICE_MS) return undefined;
    const rest = this.#pace.rest();
    if (rest !== undefined) return rest.then(() => this.begin());
    this.begin();
    return undefined;
  }
}
