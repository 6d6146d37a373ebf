/**
 * Runs work under one key in the order of its calls, one after the other. Work under different keys runs concurrently.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Rejects as `work` does; the next work still runs. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    try {
      if (before !== undefined) await before;
      return await work();
    } finally {
      if (this.#last.get(key) === promise) this.#last.delete(key);
      resolve();
    }
  }
}
