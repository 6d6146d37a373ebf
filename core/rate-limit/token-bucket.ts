/** Rate at which a bucket gives tokens. */
export interface BucketRate {
  /** Tokens of a full bucket, at least 1; may be a fraction. */
  readonly burst: number;
  /** Time after which one token comes back, ms. */
  readonly everyMs: number;
}

// Far below the precision of a timer: a rounded sum must not refuse a caller that waited long enough.
const ROUNDING_MS = 0.001;

/**
 * Allows a burst, then a steady rate. Times are monotonic ms. The state is one number, the time at which the bucket is
 * full again. So a refusal changes nothing, and rounding errors don't add up.
 */
export class TokenBucket {
  #rate: BucketRate;
  #fullAt: number;

  /** Starts full. */
  constructor({ now, ...rate }: BucketRate & { readonly now: number }) {
    this.#rate = rate;
    this.#fullAt = now;
  }

  /** Takes a token, if need be in advance. @returns ms until the token is available */
  reserve(now: number): number {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#rate.everyMs;
    return this.msUntil(0, now);
  }

  /** Takes a token if one is available. */
  take(now: number): boolean {
    const before = this.#fullAt;
    if (this.reserve(now) === 0) return true;
    this.#fullAt = before;
    return false;
  }

  /** Returns a token that was not used; a full bucket stays full. */
  giveBack(): void {
    this.#fullAt -= this.#rate.everyMs;
  }

  isFull(now: number): boolean {
    return this.#fullAt <= now;
  }

  /** Available tokens, with fractions; negative when some were taken in advance. */
  tokens(now: number): number {
    return this.#rate.burst - Math.max(0, this.#fullAt - now) / this.#rate.everyMs;
  }

  /** Ms until that many tokens are available; 0 if they already are. @param tokens at most the burst */
  msUntil(tokens: number, now: number): number {
    const wait = this.#fullAt - (this.#rate.burst - tokens) * this.#rate.everyMs - now;
    return wait > ROUNDING_MS ? wait : 0;
  }

  /** Changes the rate from `now` on. Available tokens stay, up to the new burst: a change refills nothing. */
  setRate(rate: BucketRate, now: number): void {
    if (rate.burst === this.#rate.burst && rate.everyMs === this.#rate.everyMs) return;
    const kept = Math.min(rate.burst, this.tokens(now));
    this.#rate = rate;
    this.#fullAt = now + (rate.burst - kept) * rate.everyMs;
  }
}
