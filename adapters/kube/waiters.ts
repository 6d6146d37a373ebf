import { compareResourceVersions } from './resource-version.ts';

interface Waiter {
  readonly resourceVersion: string;
  readonly wake: () => void;
}

/** Whether `wanted` was seen. Versions that can't be compared count as seen. */
const isSeen = (wanted: string, seen: string | undefined): boolean =>
  seen !== undefined && (compareResourceVersions(seen, wanted) ?? 0) >= 0;

/** Callers that wait until a store has seen a resource version. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** @throws the signal's reason */
  async wait(wanted: string, seen: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (isSeen(wanted, seen)) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        resourceVersion: wanted,
        wake: () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  seen(resourceVersion: string): void {
    for (const waiter of this.#waiting) if (isSeen(waiter.resourceVersion, resourceVersion)) this.#release(waiter);
  }

  /** Releases all callers: their versions will never come, because history was rewound. */
  releaseAll(): void {
    for (const waiter of this.#waiting) this.#release(waiter);
  }

  #release(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    waiter.wake();
  }
}
