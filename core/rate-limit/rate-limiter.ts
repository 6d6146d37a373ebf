import { LinkedList, type ListNode } from '../fair-share/linked-list.ts';
import { bucketRate, type Rate } from './rate.ts';
import { TokenBucket } from './token-bucket.ts';

/** What a rate is counted for. Public: it names the limit in headers and problems. */
export const LIMIT_NAMES = ['address', 'key', 'tenant', 'orb', 'orbiset', 'source', 'process'] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** `RateLimit` and `RateLimit-Policy`, and for a refusal `Retry-After`; names in lower case. */
export type RateHeaders = Readonly<Record<string, string>>;

/** Whether something may happen. */
export interface RateVerdict {
  readonly allowed: boolean;
  /** Computed when it is called: few answers need it. */
  readonly headers: () => RateHeaders;
}

const SECOND_MS = 1000;
// Tolerance for sums of fractions: 0.999999999 of a token counts as one, 1.000000001 seconds count as one second.
const ROUNDING = 1e-6;
/** Ids that are remembered, some 300 bytes each. */
const MOST_IDS = 65_536;
/** Of the ids whose last request is oldest, those that a new one may displace. */
const LOOKED_AT = 2;

const wholeDown = (value: number): number => Math.floor(value + ROUNDING);
const wholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS - ROUNDING);

/** The rate of one id. */
interface Rated {
  readonly id: string;
  readonly bucket: TokenBucket;
  rate: Rate;
  /** Monotonic ms. */
  lastRequestAt: number;
}

/**
 * One token bucket for each id. Headers as in draft-ietf-httpapi-ratelimit-headers-10: `q` tokens in `w` seconds, `r` of
 * them left, all in `t` seconds. The whole numbers never promise too much.
 *
 * Each process counts for itself: with several replicas behind one address an id has up to rate × replicas. A bucket
 * outlives changes of what it counts for, and learns of another rate with the next request. A raised rate then counts
 * since the request before. So the first request after a long wait is not refused.
 *
 * Memory is bounded, also when strangers choose the ids. A full bucket is dropped, because a new one is equal to it.
 * When all places are taken, the id whose last request is oldest is forgotten; later it starts with a full bucket. Every
 * operation is O(1). Times are monotonic ms.
 */
export class RateLimiter {
  readonly #name: LimitName;
  readonly #most: number;
  readonly #byId = new Map<string, ListNode<Rated>>();
  /** The id whose last request is oldest comes first. */
  readonly #byAge = new LinkedList<Rated>();

  /** @param most ids that are remembered */
  constructor(name: LimitName, most: number = MOST_IDS) {
    this.#name = name;
    this.#most = most;
  }

  /** Number of buckets in memory. */
  get size(): number {
    return this.#byId.size;
  }

  /** Takes a token, if there is one. */
  take(id: string, rate: Rate, now: number): RateVerdict {
    const bucket = this.#bucket(id, rate, now);
    const allowed = bucket.take(now);
    return { allowed, headers: () => this.#headers(bucket, { rate, now, allowed }) };
  }

  /** Whether `take` would get a token; takes none. */
  has(id: string, now: number): boolean {
    return (this.#byId.get(id)?.value.bucket.msUntil(1, now) ?? 0) === 0;
  }

  /** Returns a token that was taken for something that did not happen. */
  giveBack(id: string): void {
    this.#byId.get(id)?.value.bucket.giveBack();
  }

  #headers(
    bucket: TokenBucket,
    { rate, now, allowed }: { readonly rate: Rate; readonly now: number; readonly allowed: boolean },
  ): RateHeaders {
    const { perSecond, burst } = rate;
    const quota = wholeDown(burst);
    const windowSeconds = Math.max(1, wholeSeconds((quota / perSecond) * SECOND_MS));
    const remaining = Math.max(0, wholeDown(bucket.tokens(now)));
    const reset = wholeSeconds(bucket.msUntil(burst, now));
    const retry = allowed ? {} : { 'retry-after': String(Math.max(1, wholeSeconds(bucket.msUntil(1, now)))) };
    return {
      'ratelimit-policy': `"${this.#name}";q=${quota};w=${windowSeconds}`,
      ratelimit: `"${this.#name}";r=${remaining};t=${reset}`,
      ...retry,
    };
  }

  #bucket(id: string, rate: Rate, now: number): TokenBucket {
    const node = this.#byId.get(id);
    if (node === undefined) return this.#add(id, rate, now);
    const known = node.value;
    this.#byAge.moveToEnd(node);
    if (rate !== known.rate) {
      const isRaised = rate.perSecond > known.rate.perSecond;
      known.bucket.setRate(bucketRate(rate), isRaised ? known.lastRequestAt : now);
      known.rate = rate;
    }
    known.lastRequestAt = now;
    return known.bucket;
  }

  #add(id: string, rate: Rate, now: number): TokenBucket {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const oldest = this.#byAge.first;
      if (oldest !== undefined && (this.size >= this.#most || oldest.value.bucket.isFull(now))) this.#forget(oldest);
    }
    const bucket = new TokenBucket({ ...bucketRate(rate), now });
    this.#byId.set(id, this.#byAge.append({ id, bucket, rate, lastRequestAt: now }));
    return bucket;
  }

  #forget(node: ListNode<Rated>): void {
    this.#byAge.remove(node);
    this.#byId.delete(node.value.id);
  }
}

/** The headers of two limits that both hold for one answer. The first refusal says when to try again. */
export function bothRates(one: RateHeaders, other: RateHeaders): RateHeaders {
  const joined = (name: string): Record<string, string> => {
    const values = [one[name], other[name]].filter((value) => value !== undefined);
    return values.length === 0 ? {} : { [name]: values.join(', ') };
  };
  return { ...other, ...one, ...joined('ratelimit-policy'), ...joined('ratelimit') };
}
