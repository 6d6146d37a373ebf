import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { SharedPlaces } from '../../core/fair-share/shared-places.ts';
import { LongTurns } from './long-turns.ts';
import { whenSettled } from './when-settled.ts';

/**
 * Longest time in which one turn of the event loop starts work, ms; the last piece may exceed it. What a piece makes ready
 * counts as well: the promises that wait for it.
 */
const TURN_MS = 4;
/**
 * The same while several tenants have work. What a run makes of sockets and commits takes several times the time that it
 * has here, and the next turn of the loop waits for it: 4 ms of pieces are 20 to 70 ms of loop. Half of this would make
 * the groups so small that a fifth of the runs is lost. A single tenant keeps the larger batches, which cost less.
 */
const SHARED_TURN_MS = 0.5;
/** After another tenant's work, the loop counts as shared for this time, ms. */
const SHARED_FOR_MS = 1000;
/** Of long bodies that wait for their turn: a pod of 512 MiB has room for so many. */
const LONG_BODY_BYTES = 64 * 1024 * 1024;

export interface LoopTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Calls back once in the next turn of the event loop, after its input was read; default `setImmediate`. */
  readonly nextTurn?: (callback: () => void) => void;
  /** Calls back once, so many ms later; default `setTimeout`. */
  readonly later?: (callback: () => void, ms: number) => void;
  /** Percent of the bytes of long bodies that one tenant may have; default 100. */
  readonly tenantPct?: number;
}

const onTimer = (callback: () => void, ms: number): void => void setTimeout(callback, ms);

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
  #lastAt = -Infinity;
  /** When a tenant other than the last one was seen, monotonic ms. */
  #otherAt = -Infinity;
  /** Monotonic ms until which the loop counts as shared. */
  #sharedUntil = -Infinity;
  readonly #long: LongTurns;
  readonly #longBodies: SharedPlaces;

  constructor({ now, nextTurn = setImmediate, later = onTimer, tenantPct = 100 }: LoopTurnsOptions) {
    this.#now = now;
    this.#nextTurn = nextTurn;
    this.#long = new LongTurns({ now, nextTurn, later, isShared: (tenant) => this.#isSharedBy(tenant) });
    this.#longBodies = new SharedPlaces({ places: LONG_BODY_BYTES, tenantPct });
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Bytes of long bodies that wait for their turn, or hold them still. */
  get longBodyBytes(): number {
    return this.#longBodies.used;
  }

  /** Resolves when a piece may run that takes some ten ms: all until the next `await` of what is not ready. */
  longTurn(share: Share): Promise<void> {
    return this.#long.turn(share);
  }

  /**
   * As `longTurn`, for a body that was read whole.
   * @returns undefined: bodies that wait hold too much memory. Else resolves with a function that gives its bytes back,
   *   to be called once
   */
  longBody(share: Share, bytes: number): Promise<() => void> | undefined {
    const { tenant } = share;
    if (!this.#longBodies.take(tenant, bytes)) return undefined;
    const giveBack = (): void => this.#longBodies.giveBack(tenant, bytes);
    return this.#long.turn(share).then(() => giveBack);
  }

  /** Starts the work, at once or later. @returns what the work returns */
  run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    this.note(share.tenant);
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

  /** Notes that a tenant uses the loop. */
  note(tenant: string): void {
    const now = this.#now();
    if (tenant !== this.#lastTenant) {
      if (this.#lastTenant !== undefined) this.#sharedUntil = now + SHARED_FOR_MS;
      this.#otherAt = this.#lastAt;
      this.#lastTenant = tenant;
    }
    this.#lastAt = now;
  }

  /** Whether another tenant than this one was seen lately. */
  #isSharedBy(tenant: string): boolean {
    const seenAt = tenant === this.#lastTenant ? this.#otherAt : this.#lastAt;
    return this.#now() - seenAt < SHARED_FOR_MS;
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
