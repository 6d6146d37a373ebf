import type { Steps } from '../../core/steps/steps.ts';

/** Does a long work, and counts its pieces. */
export function inPieces<T>(steps: Steps<T>): { readonly pieces: number; readonly value: T } {
  for (let pieces = 1; ; pieces += 1) {
    const step = steps.next();
    if (step.done === true) return { pieces, value: step.value };
  }
}
