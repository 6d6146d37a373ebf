import { parseIp } from '../../core/network/ip-address.ts';
import { TokenBucket, type BucketRate } from '../../core/rate-limit/token-bucket.ts';
import type { SignalSource } from './source.ts';

/** Requests a second of one client, and of all clients of this process (ingestion.md §6). */
export interface IngestLimits {
  readonly perAddress: number;
  readonly inAll: number;
}

const ingestLimits: IngestLimits = { perAddress: 100, inAll: 1000 };

const SECOND_MS = 1000;
const FIRST_SWEEP = 1024;
/** Bytes of an IPv6 address that name a network: its owner has all addresses below. */
const NETWORK_BYTES = 8;

/** Buckets by name. A full bucket is dropped, because a new one is equal to it. */
class Buckets {
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt = FIRST_SWEEP;

  get size(): number {
    return this.#buckets.size;
  }

  of(name: string, rate: BucketRate, now: number): TokenBucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) {
      known.setRate(rate, now);
      return known;
    }
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
    const bucket = new TokenBucket({ ...rate, now });
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #sweep(now: number): void {
    for (const [name, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(name);
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#buckets.size);
  }
}

/** Takes a token. @returns whole seconds until the next one, at least 1; 0: it was taken */
const take = (bucket: TokenBucket, now: number): number =>
  bucket.take(now) ? 0 : Math.max(1, Math.ceil(bucket.msUntil(1, now) / SECOND_MS));

const rateOf = (perSecond: number, burst = perSecond): BucketRate => ({ burst, everyMs: SECOND_MS / perSecond });

/** One name for each IPv4 address and each IPv6 network, however it is written. */
function clientName(address: string): string {
  const bytes = parseIp(address);
  if (bytes === undefined) return '';
  return (bytes.length === 4 ? bytes : bytes.subarray(0, NETWORK_BYTES)).join('.');
}

/** Rates of requests to signal sources. Times are monotonic ms; each process counts for itself. */
export class IngestRates {
  readonly #limits: IngestLimits;
  readonly #clients = new Buckets();
  readonly #sources = new Buckets();
  readonly #all: TokenBucket;

  constructor(now: number, limits: IngestLimits = ingestLimits) {
    this.#limits = limits;
    this.#all = new TokenBucket({ ...rateOf(limits.inAll), now });
  }

  /** Number of buckets of clients in memory. */
  get clients(): number {
    return this.#clients.size;
  }

  /** A request came. One that its client's rate refuses costs the others nothing. @returns seconds to wait; 0: go on */
  request(address: string, now: number): number {
    const client = this.#clients.of(clientName(address), rateOf(this.#limits.perAddress), now);
    return take(client, now) || take(this.#all, now);
  }

  /** A verified delivery came: only its sender can use up the rate of a source. @returns seconds to wait; 0: go on */
  delivery({ namespace, name, limits }: SignalSource, now: number): number {
    return take(this.#sources.of(`${namespace}/${name}`, rateOf(limits.rps, limits.burst), now), now);
  }
}
