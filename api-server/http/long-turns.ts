import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { whenSettled } from './when-settled.ts';

/** A tenant rests so many times as long as its piece took: a quarter of a shared loop is left to its long work. */
const REST_PER_WORK = 3;
/** Longest rest, ms: a piece that the system interrupted delays the next one no further. */
const MOST_REST_MS = 300;

export interface LongTurnsOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Whether another tenant uses the event loop too. */
  readonly isShared: (tenant: string) => boolean;
  /** Calls back once in the next turn of the event loop, after its input was read. */
  readonly nextTurn: (callback: () => void) => void;
  /** Calls back once, so many ms later. */
  readonly later: (callback: () => void, ms: number) => void;
}

interface Piece {
  readonly tenant: string;
  readonly start: () => void;
}

/**
 * Paces work that takes the event loop some ten milliseconds at a time: what large bodies need. Such pieces are done one
 * at a time, and tenants take turns. While another tenant uses the loop, a tenant rests after its piece, three times as
 * long. A run needs about six turns of the loop: it must not meet a long piece in each of them.
 *
 * A tenant that is alone only leaves a turn of the loop between two pieces.
 */
export class LongTurns {
  readonly #options: LongTurnsOptions;
  readonly #waiting = new FairQueue<Piece>();
  /** Until when a tenant rests, monotonic ms. */
  readonly #rests = new Map<string, number>();
  /** A piece runs, or the turn of the loop after it. */
  #isBusy = false;
  /** When a timer ends the next rest, monotonic ms. */
  #wakesAt = Infinity;

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
      this.#waiting.push(share, { tenant: share.tenant, start: resolve });
      if (!this.#isBusy) this.#next();
    });
  }

  readonly #next = (): void => {
    const now = this.#options.now();
    const piece = this.#waiting.shift((tenant) => (this.#rests.get(tenant) ?? now) <= now);
    this.#isBusy = piece !== undefined;
    if (piece === undefined) return this.#waitForRest(now);
    whenSettled(() => this.#settled(piece.tenant, this.#options.now() - now));
    piece.start();
  };

  #settled(tenant: string, tookMs: number): void {
    const { now, isShared, nextTurn } = this.#options;
    const restMs = Math.min(MOST_REST_MS, Math.round(tookMs * REST_PER_WORK));
    if (restMs > 0 && isShared(tenant)) this.#rests.set(tenant, now() + restMs);
    nextTurn(this.#next);
  }

  /** All tenants that wait are resting. */
  #waitForRest(now: number): void {
    for (const [tenant, until] of this.#rests) if (until <= now) this.#rests.delete(tenant);
    const first = Math.min(...this.#rests.values());
    if (this.#waiting.size === 0 || first >= this.#wakesAt) return;
    this.#wakesAt = first;
    this.#options.later(() => {
      if (this.#wakesAt === first) this.#wakesAt = Infinity;
      if (!this.#isBusy) this.#next();
    }, first - now);
  }
}
