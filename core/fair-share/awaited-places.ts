import { FairQueue } from './fair-queue.ts';
import type { Share } from './share.ts';
import { SharedPlaces, type PlaceLimits } from './shared-places.ts';

export interface AwaitedPlaceLimits extends PlaceLimits {
  /** Largest number of places that a waiter asks for, 1 to `places`. */
  readonly most: number;
}

interface Waiter {
  readonly share: Share;
  readonly count: number;
  readonly granted: () => void;
}

/**
 * Places that tenants share, taken some at once. Who finds too few may wait; waiters take turns by tenant, then by key. A
 * tenant that may not have more keeps its turn, and the others go on.
 *
 * A waiter goes when there is room for the largest one, and while somebody waits a newcomer needs as much room. So nobody is
 * passed for ever by those who ask for less.
 */
export class AwaitedPlaces {
  readonly #places: SharedPlaces;
  readonly #most: number;
  readonly #waiting = new FairQueue<Waiter>();

  constructor({ most, ...limits }: AwaitedPlaceLimits) {
    this.#places = new SharedPlaces(limits);
    this.#most = most;
  }

  /** Places in use. */
  get used(): number {
    return this.#places.used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns whether the tenant has them; give each back once. Else it may wait */
  take(tenant: string, count: number): boolean {
    if (this.#waiting.size > 0 && !this.#places.mayTake(tenant, this.#most)) return false;
    return this.#places.take(tenant, count);
  }

  /** More places for who can't wait. @returns whether the tenant has them; give each back once */
  takeMore(tenant: string, count: number): boolean {
    return this.#places.take(tenant, count);
  }

  /**
   * Waits for places.
   * @param granted called once, in a `giveBack`, when the tenant has them; give each back once
   * @returns ends the wait; without effect after `granted`
   * @throws RangeError more than `most`
   */
  wait(share: Share, count: number, granted: () => void): () => void {
    if (count > this.#most) throw new RangeError('more places than a waiter may ask for');
    return this.#waiting.push(share, { share, count, granted });
  }

  giveBack(tenant: string, count: number): void {
    this.#places.giveBack(tenant, count);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#places.take(next.share.tenant, next.count);
      next.granted();
    }
  }

  readonly #next = (): Waiter | undefined => this.#waiting.shift((tenant) => this.#places.mayTake(tenant, this.#most));
}
