import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';

/**
 * Longest time in which one turn of the event loop starts work, ms; the last piece may exceed it. What a piece makes ready
 * counts as well: the promises that wait for it.
 */
const TURN_MS = 4;

export interface LoopTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Calls back once in the next turn of the event loop, after its input was read; default `setImmediate`. */
  readonly nextTurn?: (callback: () => void) => void;
}

/** Calls back when everything has run that is ready now: promises, and what they make ready. */
const whenSettled = (callback: () => void): void => queueMicrotask(() => process.nextTick(callback));

/**
 * Shares the event loop between tenants, then between the keys of a tenant. Each turn of the loop starts work for a few
 * ms; what came later waits, and takes turns by tenant and key. Without this, 1 000 requests or answers of providers that
 * arrived together would all be worked on before the next one is even read.
 *
 * Work that finds the loop idle starts at once.
 */
export class LoopTurns {
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #waiting = new FairQueue<() => void>();
  /** Monotonic ms; undefined: this turn has started nothing. */
  #beganAt: number | undefined;
  /** A piece was started, and what it made ready still runs. */
  #isBusy = false;

  constructor({ now, nextTurn = setImmediate }: LoopTurnsOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Starts the work, at once or later. @returns what the work returns */
  run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    if (!this.#isBusy && this.#waiting.size === 0 && this.#hasTime()) return this.#begin(work);
    return new Promise((resolve, reject) => {
      this.#waiting.push(share, () => {
        try {
          resolve(this.#begin(work));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** The time of a piece is known when all is done that it made ready. Until then no other piece starts. */
  #begin<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    whenSettled(this.#settled);
    return work();
  }

  readonly #settled = (): void => {
    this.#isBusy = false;
    this.#next();
  };

  #next(): void {
    if (!this.#isBusy && this.#waiting.size > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#beganAt !== undefined) return now - this.#beganAt < TURN_MS;
    this.#beganAt = now;
    this.#nextTurn(this.#turn);
    return true;
  }

  readonly #turn = (): void => {
    this.#beganAt = undefined;
    this.#next();
  };
}
