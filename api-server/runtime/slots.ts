import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { SharedPlaces } from '../../core/fair-share/shared-places.ts';

/** Limits on requests to providers (security.md S6). Waiting runs wait within their own deadline. */
export interface SlotLimits {
  readonly perKey: number;
  readonly waiting: number;
  /** Percent of the slots of a key, and of the waiting places, that one tenant may have; default 100. */
  readonly tenantPct?: number;
}

/** A held set of slots. */
export interface HeldSlots {
  readonly release: () => void;
}

/** The slots of one Orb, or of one origin. */
interface Pool {
  readonly places: SharedPlaces;
  /** What to do with a slot that the tenant of the waiter has got. */
  readonly waiting: FairQueue<() => void>;
}

/** A request for slots that waits for one of them. */
interface Waiter {
  readonly share: Share;
  readonly keys: readonly string[];
  /** Slots that it has: those of the keys before this number. */
  taken: number;
}

/**
 * Counts requests in flight by key (one key for the Orb, one for the origin). Tenants share the slots of a key: a tenant
 * that has its share waits, and the others find free slots. Requests that wait take turns by tenant, then by key of
 * the API, in order of arrival. There is one instance in a process, and only the execute path uses it.
 *
 * The slots of a request are taken one after the other, in the order that all requests have: Orb, then origin. So no
 * two requests wait for each other.
 */
export class Slots {
  readonly #perKey: number;
  readonly #tenantPct: number;
  readonly #pools = new Map<string, Pool>();
  readonly #waiters: SharedPlaces;

  constructor({ perKey, waiting, tenantPct = 100 }: SlotLimits) {
    this.#perKey = perKey;
    this.#tenantPct = tenantPct;
    this.#waiters = new SharedPlaces({ places: waiting, tenantPct });
  }

  /** Whether one more run of the tenant may wait for slots. Without room, a run starts only if `free` says so. */
  hasRoom({ tenant }: Share): boolean {
    return this.#waiters.mayTake(tenant);
  }

  /** Whether a run of the tenant with these keys would get its slots at once. */
  free({ tenant }: Share, keys: readonly string[]): boolean {
    return keys.every((key) => this.#pools.get(key)?.places.mayTake(tenant) ?? this.#perKey > 0);
  }

  /** @returns the slots, at once when free; undefined when `signal` aborted before they were free */
  acquire(share: Share, keys: readonly string[], signal: AbortSignal): HeldSlots | Promise<HeldSlots | undefined> {
    const waiter: Waiter = { share, keys, taken: 0 };
    if (this.#takeFree(waiter)) return this.#held(waiter);
    if (signal.aborted) {
      this.#release(waiter);
      return Promise.resolve(undefined);
    }
    return this.#wait(waiter, signal);
  }

  /** Takes slots until one is not free. A slot that is free has no waiter that may have it. */
  #takeFree(waiter: Waiter): boolean {
    const { share, keys } = waiter;
    while (waiter.taken < keys.length) {
      if (!this.#pool(keys[waiter.taken] ?? '').places.take(share.tenant)) return false;
      waiter.taken += 1;
    }
    return true;
  }

  #wait(waiter: Waiter, signal: AbortSignal): Promise<HeldSlots | undefined> {
    const { share, keys } = waiter;
    // A run beyond the limit came to a provider after others of its own that failed: it waits too.
    const counted = this.#waiters.take(share.tenant);
    return new Promise((resolve) => {
      let leave: (() => void) | undefined;
      const end = (held: HeldSlots | undefined): void => {
        signal.removeEventListener('abort', giveUp);
        if (counted) this.#waiters.giveBack(share.tenant);
        resolve(held);
      };
      const giveUp = (): void => {
        leave?.();
        this.#release(waiter);
        end(undefined);
      };
      const queue = (): void => {
        leave = this.#pool(keys[waiter.taken] ?? '').waiting.push(share, () => {
          waiter.taken += 1;
          if (this.#takeFree(waiter)) end(this.#held(waiter));
          else queue();
        });
      };
      signal.addEventListener('abort', giveUp, { once: true });
      queue();
    });
  }

  #held(waiter: Waiter): HeldSlots {
    return { release: () => this.#release(waiter) };
  }

  #release(waiter: Waiter): void {
    const { share, keys } = waiter;
    const held = keys.slice(0, waiter.taken);
    waiter.taken = 0;
    for (const key of held.toReversed()) this.#giveBack(key, share.tenant);
  }

  #giveBack(key: string, tenant: string): void {
    const pool = this.#pool(key);
    pool.places.giveBack(tenant);
    const mayGo = (one: string): boolean => pool.places.take(one);
    for (let next = pool.waiting.shift(mayGo); next !== undefined; next = pool.waiting.shift(mayGo)) next();
    if (pool.places.used === 0 && pool.waiting.size === 0) this.#pools.delete(key);
  }

  #pool(key: string): Pool {
    const found = this.#pools.get(key);
    if (found !== undefined) return found;
    const limits = { places: this.#perKey, tenantPct: this.#tenantPct };
    const pool = { places: new SharedPlaces(limits), waiting: new FairQueue<() => void>() };
    this.#pools.set(key, pool);
    return pool;
  }
}
