/** Limits on concurrent jobs. */
export interface QueueLimits {
  readonly atOnce: number;
  readonly perKey: number;
}

/**
 * Runs jobs in the order of their arrival, with a limit on concurrent jobs. A job is dropped when another job of
 * its key waits already, or when `perKey` jobs of its key run. Jobs must not reject.
 */
export class ProbeQueue {
  readonly #limits: QueueLimits;
  readonly #waiting = new Map<string, () => Promise<void>>();
  readonly #running = new Map<string, number>();
  readonly #idle = new Set<() => void>();
  #count = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  add(key: string, job: () => Promise<void>): void {
    if (this.#waiting.has(key) || (this.#running.get(key) ?? 0) >= this.#limits.perKey) return;
    this.#waiting.set(key, job);
    this.#pump();
  }

  /** Drops the waiting jobs. @returns when the running jobs have ended */
  async end(): Promise<void> {
    this.#waiting.clear();
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  #pump(): void {
    for (const [key, job] of this.#waiting) {
      if (this.#count >= this.#limits.atOnce) return;
      this.#waiting.delete(key);
      void this.#run(key, job);
    }
  }

  async #run(key: string, job: () => Promise<void>): Promise<void> {
    this.#count += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      await job();
    } finally {
      this.#count -= 1;
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
      this.#pump();
      if (this.#count === 0) for (const resolve of this.#idle) resolve();
    }
  }
}
