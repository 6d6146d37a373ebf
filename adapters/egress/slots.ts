interface Origin {
  active: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits the requests per origin to the number of sockets; the others wait here in order. Below this limit undici gives
 * a request a connection at once. Its connect timeout therefore measures connecting and never a queue (security.md S6).
 */
export class OriginSlots {
  readonly #limit: number;
  readonly #origins = new Map<string, Origin>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns false when all slots are in use: call `wait` then */
  take(origin: string): boolean {
    const found = this.#origins.get(origin);
    if (found === undefined) this.#origins.set(origin, { active: 1, waiting: [] });
    else if (found.active < this.#limit) found.active += 1;
    else return false;
    return true;
  }

  /** @returns true with a slot; false when the signal came first */
  wait(origin: string, signal: AbortSignal): Promise<boolean> {
    const waiting = this.#origins.get(origin)?.waiting ?? [];
    return new Promise((resolve) => {
      const abort = (): void => {
        waiting.splice(waiting.indexOf(mine), 1);
        resolve(false);
      };
      const mine = (): void => {
        signal.removeEventListener('abort', abort);
        resolve(true);
      };
      waiting.push(mine);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Gives the slot to the request that has waited longest. */
  release(origin: string): void {
    const found = this.#origins.get(origin);
    if (found === undefined) return;
    const next = found.waiting.shift();
    if (next !== undefined) next();
    else if (found.active > 1) found.active -= 1;
    else this.#origins.delete(origin);
  }
}
