import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';

/** Longest time in which one turn of the event loop starts work, ms; the last piece may exceed it. */
const TURN_MS = 4;

export interface LoopTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Calls back once in the next turn of the event loop, after its input was read; default `setImmediate`. */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * Shares the event loop between tenants, then between the keys of a tenant. Each turn of the loop starts work for a few
 * ms; what came later waits, and takes turns by tenant and key. Without this, 1 000 requests that arrived together would
 * all begin before the next request is even read.
 *
 * Work that finds the loop idle starts at once.
 */
export class LoopTurns {
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #waiting = new FairQueue<() => void>();
  /** Monotonic ms; undefined: this turn has started nothing. */
  #beganAt: number | undefined;

  constructor({ now, nextTurn = setImmediate }: LoopTurnsOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Starts the work, at once or in a later turn. @returns what the work returns */
  run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.size === 0 && this.#hasTime()) return work();
    return new Promise((resolve, reject) => {
      this.#waiting.push(share, () => void work().then(resolve, reject));
    });
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#beganAt !== undefined) return now - this.#beganAt < TURN_MS;
    this.#beganAt = now;
    this.#nextTurn(() => this.#turn());
    return true;
  }

  #turn(): void {
    this.#beganAt = undefined;
    while (this.#waiting.size > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }
}
