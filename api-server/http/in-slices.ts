import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '../../core/steps/steps.ts';

/** Time after which other work gets a turn. A single piece may take longer: an expression of 4 KiB takes some 10 ms. */
const SLICE_MS = 5;

/**
 * Does the pieces of a long work on this thread, with turns for other work before, after and between them.
 * @param turn resolves when the next slice may begin: by default in the next turn of the event loop
 */
export async function inSlices<T>(steps: Steps<T>, turn: () => Promise<unknown> = nextTurn): Promise<T> {
  for (;;) {
    await turn();
    const began = performance.now();
    do {
      const step = steps.next();
      if (step.done === true) {
        await turn();
        return step.value;
      }
    } while (performance.now() - began < SLICE_MS);
  }
}
