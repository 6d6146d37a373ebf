/** So many at once, then a steady rate. Times are monotonic ms. */
export class TokenBucket {
  readonly #burst: number;
  readonly #everyMs: number;
  #tokens: number;
  #at: number;

  /** @param everyMs one token comes back in this time */
  constructor({ burst, everyMs, now }: { readonly burst: number; readonly everyMs: number; readonly now: number }) {
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#tokens = burst;
    this.#at = now;
  }

  /** Takes one, from the future when there is none. @returns ms until it is there */
  reserve(now: number): number {
    this.#refill(now);
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens * this.#everyMs;
  }

  /** Takes one if there is one. */
  take(now: number): boolean {
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  isFull(now: number): boolean {
    this.#refill(now);
    return this.#tokens === this.#burst;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) / this.#everyMs);
    this.#at = now;
  }
}
