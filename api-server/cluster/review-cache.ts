import type { Clock } from '../../adapters/time/clock.ts';

export interface ReviewCacheOptions<T> {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether an answer is positive: positive answers are kept longer. */
  readonly isPositive: (answer: T) => boolean;
  /** Number of answers that are kept. */
  readonly size?: number;
}

interface Kept<T> {
  readonly answer: T;
  readonly until: number;
}

// security.md S12: ≤ 10 s and ≤ 1 s. The time of the request counts too.
const POSITIVE_MS = 9000;
const NEGATIVE_MS = 1000;
const SIZE = 4096;

/** Keeps answers of the Kubernetes API for a short time. Bounded. Equal requests at the same time share one call. */
export class ReviewCache<T> {
  readonly #options: ReviewCacheOptions<T>;
  readonly #kept = new Map<string, Kept<T>>();
  readonly #asking = new Map<string, Promise<T>>();

  constructor(options: ReviewCacheOptions<T>) {
    this.#options = options;
  }

  /** The answer that is kept, if it is still valid. */
  peek(key: string): T | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#options.clock.monotonic() < kept.until ? kept.answer : undefined;
  }

  /** @param ask its rejection is not kept */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.peek(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const running = this.#asking.get(key);
    if (running !== undefined) return running;
    const asked = this.#ask(key, ask).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    return asked;
  }

  async #ask(key: string, ask: () => Promise<T>): Promise<T> {
    const { clock, isPositive, size = SIZE } = this.#options;
    // Counted from before the request: the answer may be that old.
    const askedAt = clock.monotonic();
    const answer = await ask();
    this.#kept.delete(key);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < size) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, { answer, until: askedAt + (isPositive(answer) ? POSITIVE_MS : NEGATIVE_MS) });
    return answer;
  }
}
