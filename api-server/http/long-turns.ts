import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';

/** Rest after a piece, in times of it: a quarter of a shared loop is left to long work. */
const REST_PER_WORK = 3;
/** Longest rest, ms: so a piece that was interrupted by the system delays the next one no further. */
const MOST_REST_MS = 150;

export interface LongTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Whether another tenant uses the event loop too. */
  readonly isShared: () => boolean;
  /** Calls back once in the next turn of the event loop, after its input was read. */
  readonly nextTurn: (callback: () => void) => void;
  /** Calls back once, so many ms later. */
  readonly later: (callback: () => void, ms: number) => void;
}

/** Calls back when everything has run that is ready now. */
const whenSettled = (callback: () => void): void => queueMicrotask(() => process.nextTick(callback));

/**
 * Paces work that takes the event loop some ten milliseconds at a time: what large bodies need. Such pieces are done one
 * at a time, and tenants take turns. While several tenants use the loop, each piece is followed by a rest three times as
 * long. A run needs about six turns of the loop: it must not meet a long piece in each of them.
 *
 * A tenant that is alone only leaves a turn of the loop between two pieces.
 */
export class LongTurns {
  readonly #options: LongTurnsOptions;
  readonly #waiting = new FairQueue<() => void>();
  /** A piece runs, or the rest after it. */
  #isBusy = false;

  constructor(options: LongTurnsOptions) {
    this.#options = options;
  }

  /** Pieces that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the next piece of this work may run: up to the next `await` of something that is not ready. */
  turn(share: Share): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(share, resolve);
      if (!this.#isBusy) this.#begin();
    });
  }

  #begin(): void {
    const start = this.#waiting.shift();
    this.#isBusy = start !== undefined;
    if (start === undefined) return;
    const began = this.#options.now();
    whenSettled(() => this.#rest(this.#options.now() - began));
    start();
  }

  #rest(tookMs: number): void {
    const { isShared, nextTurn, later } = this.#options;
    const restMs = isShared() ? Math.min(MOST_REST_MS, Math.round(tookMs * REST_PER_WORK)) : 0;
    const begin = (): void => this.#begin();
    if (restMs === 0) nextTurn(begin);
    else later(begin, restMs);
  }
}
