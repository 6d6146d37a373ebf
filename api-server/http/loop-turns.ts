import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { LongTurns } from './long-turns.ts';

/**
 * Longest time in which one turn of the event loop starts work, ms; the last piece may exceed it. What a piece makes ready
 * counts as well: the promises that wait for it.
 */
const TURN_MS = 4;
/**
 * The same while several tenants have work. What a run makes of sockets and commits later takes several times the time
 * that it has here, and the next turn of the loop waits for it: 4 ms of starts are 20 to 70 ms of loop. A single tenant
 * keeps the larger batches, which cost less.
 */
const SHARED_TURN_MS = 1;
/** After another tenant's work, the loop counts as shared for this time, ms. */
const SHARED_FOR_MS = 1000;

export interface LoopTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Calls back once in the next turn of the event loop, after its input was read; default `setImmediate`. */
  readonly nextTurn?: (callback: () => void) => void;
  /** Calls back once, so many ms later; default `setTimeout`. */
  readonly later?: (callback: () => void, ms: number) => void;
}

const onTimer = (callback: () => void, ms: number): void => void setTimeout(callback, ms);

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
  /** Pieces that this turn has started. */
  #started = 0;
  /** A piece was started, and what it made ready still runs. */
  #isBusy = false;
  #lastTenant: string | undefined;
  /** Monotonic ms until which the loop counts as shared. */
  #sharedUntil = -Infinity;
  readonly #long: LongTurns;

  constructor({ now, nextTurn = setImmediate, later = onTimer }: LoopTurnsOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
    this.#long = new LongTurns({ now, nextTurn, later, isShared: () => now() < this.#sharedUntil });
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when a piece may run that takes some ten ms: all until the next `await` of what is not ready. */
  long(share: Share): Promise<void> {
    this.#noteTenant(share.tenant);
    return this.#long.turn(share);
  }

  /** Starts the work, at once or later. @returns what the work returns */
  run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    this.#noteTenant(share.tenant);
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
    this.#started += 1;
    whenSettled(this.#settled);
    return work();
  }

  readonly #settled = (): void => {
    this.#isBusy = false;
    this.#next();
  };

  #noteTenant(tenant: string): void {
    if (tenant === this.#lastTenant) return;
    if (this.#lastTenant !== undefined) this.#sharedUntil = this.#now() + SHARED_FOR_MS;
    this.#lastTenant = tenant;
  }

  #next(): void {
    if (!this.#isBusy && this.#waiting.size > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#beganAt !== undefined) return this.#mayGoOn(now, now - this.#beganAt);
    this.#beganAt = now;
    this.#started = 0;
    this.#nextTurn(this.#turn);
    return true;
  }

  /** A turn that tenants share has a piece of each that waits, within the time of a longer turn. */
  #mayGoOn(now: number, elapsedMs: number): boolean {
    if (now >= this.#sharedUntil || elapsedMs < SHARED_TURN_MS) return elapsedMs < TURN_MS;
    return elapsedMs < TURN_MS && this.#started < this.#waiting.tenants;
  }

  readonly #turn = (): void => {
    this.#beganAt = undefined;
    this.#next();
  };
}
