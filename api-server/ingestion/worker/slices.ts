import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { Pauses } from './pauses.ts';

/** The main thread also answers runs: nothing here holds it for longer at a time. */
const SLICE_MS = 4;
/** The same while the thread has other work: a run waits once at each of its steps. */
const SHARED_SLICE_MS = 0.5;
/** Other work that took longer between two slices. An empty turn of the event loop takes some 20 µs. */
const OTHER_WORK_MS = 0.15;
/** So many slices after other work are short: the steps of a run have pauses between them. */
const SHARED_SLICES = 50;

/** Gives other work of the main thread a turn between short pieces of work. */
export class Slices implements Pauses {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began: number;
  /** Slices since other work was seen. */
  #alone = SHARED_SLICES;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  /** Call it between two pieces of work, each much shorter than a slice. */
  rest(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const isOver = now - this.#began >= (this.#alone < SHARED_SLICES ? SHARED_SLICE_MS : SLICE_MS);
    return isOver ? this.#turn(now) : undefined;
  }

  async #turn(now: number): Promise<void> {
    await nextTurn();
    this.#began = this.#clock.monotonic();
    this.#alone = this.#began - now > OTHER_WORK_MS ? 0 : this.#alone + 1;
  }
}
