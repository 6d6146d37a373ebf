/** Limits on requests to providers (security.md S6). Waiting runs wait within their own deadline. */
export interface SlotLimits {
  readonly perKey: number;
  readonly waiting: number;
}

/** A held set of slots. */
export interface HeldSlots {
  readonly release: () => void;
}

interface Waiter {
  readonly keys: readonly string[];
  readonly settle: (held: HeldSlots | undefined) => void;
}

/**
 * Counts requests in flight by key (one key for the Orb, one for the origin). Requests over the limit wait in order of
 * arrival. There is one instance in a process, and only the execute path uses it.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #used = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Whether one more run may wait for slots. Without room, a run starts only if `free` says so. */
  get hasRoom(): boolean {
    return this.#waiters.size < this.#limits.waiting;
  }

  /** Whether a run with these keys would get its slots at once. */
  free(keys: readonly string[]): boolean {
    return keys.every((key) => (this.#used.get(key) ?? 0) < this.#limits.perKey);
  }

  /** @returns the slots, at once when free; undefined when `signal` aborted before they were free */
  acquire(keys: readonly string[], signal: AbortSignal): HeldSlots | Promise<HeldSlots | undefined> {
    if (this.free(keys)) return this.#take(keys);
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        keys,
        settle: (held) => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', giveUp);
          resolve(held);
        },
      };
      const giveUp = (): void => waiter.settle(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #take(keys: readonly string[]): HeldSlots {
    for (const key of keys) this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
    let open = true;
    return {
      release: () => {
        if (!open) return;
        open = false;
        this.#release(keys);
      },
    };
  }

  #release(keys: readonly string[]): void {
    for (const key of keys) {
      const left = (this.#used.get(key) ?? 1) - 1;
      if (left === 0) this.#used.delete(key);
      else this.#used.set(key, left);
    }
    for (const waiter of this.#waiters) {
      if (this.free(waiter.keys)) waiter.settle(this.#take(waiter.keys));
    }
  }
}
