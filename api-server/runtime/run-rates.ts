import { TokenBucket, type BucketRate } from '../../core/rate-limit/token-bucket.ts';

/** Whether a run may start, with the rate headers of its answer. */
export interface RateVerdict {
  readonly allowed: boolean;
  /** `RateLimit` and `RateLimit-Policy`, and for a refused run `Retry-After`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const SECOND_MS = 1000;
// Tolerance for sums of fractions: 0.999999999 of a run counts as one run, 1.000000001 seconds count as one second.
const ROUNDING = 1e-6;
const FIRST_SWEEP = 1024;

const wholeDown = (value: number): number => Math.floor(value + ROUNDING);
const wholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS - ROUNDING);

/** A burst of one second, and at least one run: 50 a second → 50 at once, 0.5 a second → 1 every two seconds. */
const rateOf = (perSecond: number): BucketRate => ({
  burst: Math.max(1, perSecond),
  everyMs: SECOND_MS / perSecond,
});

function rateHeaders(bucket: TokenBucket, perSecond: number, now: number): Readonly<Record<string, string>> {
  const { burst } = rateOf(perSecond);
  const quota = wholeDown(burst);
  const windowSeconds = Math.max(1, wholeSeconds((quota / perSecond) * SECOND_MS));
  const remaining = Math.max(0, wholeDown(bucket.tokens(now)));
  const reset = wholeSeconds(bucket.msUntil(burst, now));
  return {
    'ratelimit-policy': `"orbiset";q=${quota};w=${windowSeconds}`,
    ratelimit: `"orbiset";r=${remaining};t=${reset}`,
  };
}

/** The runs of one Orbiset. */
interface Rated {
  readonly bucket: TokenBucket;
  perSecond: number;
  /** Monotonic ms. */
  lastRequestAt: number;
}

/**
 * `limits.rate_per_second` of Orbisets: one token bucket for each. Headers as in
 * draft-ietf-httpapi-ratelimit-headers-10: `q` runs in `w` seconds, `r` of them left, all in `t` seconds. The whole
 * numbers never promise too much.
 *
 * Each process counts for itself: with several replicas behind one address an Orbiset has up to rate × replicas. A
 * bucket outlives changes of its Orbiset. It learns of another rate with the next request. A raised rate then counts
 * since the request before. So the first request after a long wait is not refused. A full bucket is dropped, because a
 * new one is equal to it. Buckets of removed Orbisets are dropped in the same way. Times are monotonic ms.
 */
export class RunRates {
  readonly #rated = new Map<string, Rated>();
  #sweepAt = FIRST_SWEEP;

  /** Number of buckets in memory. */
  get size(): number {
    return this.#rated.size;
  }

  /** @param orbiset `namespace.name` @param perSecond runs in a second, above 0 */
  take(orbiset: string, perSecond: number, now: number): RateVerdict {
    const bucket = this.#bucket(orbiset, perSecond, now);
    const allowed = bucket.take(now);
    const headers = rateHeaders(bucket, perSecond, now);
    if (allowed) return { allowed, headers };
    const retryAfter = Math.max(1, wholeSeconds(bucket.msUntil(1, now)));
    return { allowed, headers: { ...headers, 'retry-after': String(retryAfter) } };
  }

  /** Returns the token of a run that was admitted but did not start. */
  giveBack(orbiset: string): void {
    this.#rated.get(orbiset)?.bucket.giveBack();
  }

  #bucket(orbiset: string, perSecond: number, now: number): TokenBucket {
    const known = this.#rated.get(orbiset);
    if (known !== undefined) {
      known.bucket.setRate(rateOf(perSecond), perSecond > known.perSecond ? known.lastRequestAt : now);
      known.perSecond = perSecond;
      known.lastRequestAt = now;
      return known.bucket;
    }
    if (this.#rated.size >= this.#sweepAt) this.#sweep(now);
    const bucket = new TokenBucket({ ...rateOf(perSecond), now });
    this.#rated.set(orbiset, { bucket, perSecond, lastRequestAt: now });
    return bucket;
  }

  /** It runs at twice the number of used buckets, so that the cost for each is small. */
  #sweep(now: number): void {
    for (const [orbiset, { bucket }] of this.#rated) if (bucket.isFull(now)) this.#rated.delete(orbiset);
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#rated.size);
  }
}
