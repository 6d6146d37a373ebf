import { addressGroup } from '../../core/network/address-group.ts';
import { ofOneSecond, type Rate, type RateLimit } from '../../core/rate-limit/rate.ts';
import { RateLimiter, type LimitName, type RateVerdict } from '../../core/rate-limit/rate-limiter.ts';
import type { RateRefusal } from '../http/rate-problem.ts';
import type { SignalSource } from './source.ts';

/** Requests a second of one client, and of all clients of this process (ingestion.md §6). */
export interface IngestLimits {
  /** `none`: all clients have one address, that of a proxy. */
  readonly perAddress: number | 'none';
  readonly inAll: number;
}

export const INGEST_LIMITS: IngestLimits = { perAddress: 100, inAll: 1000 };

const ALL = 'all';

const refused = (limit: LimitName, verdict: RateVerdict): RateRefusal | undefined =>
  verdict.allowed ? undefined : { limit, headers: verdict.headers() };

/** Rates of requests to signal sources. Times are monotonic ms; each process counts for itself. */
export class IngestRates {
  readonly #perAddress: RateLimit;
  readonly #inAll: Rate;
  readonly #clients = new RateLimiter('address');
  readonly #sources = new RateLimiter('source');
  readonly #process = new RateLimiter('process');

  constructor({ perAddress, inAll }: IngestLimits = INGEST_LIMITS) {
    this.#perAddress = perAddress === 'none' ? 'none' : ofOneSecond(perAddress);
    this.#inAll = ofOneSecond(inAll);
  }

  /** Number of buckets of clients in memory. */
  get clients(): number {
    return this.#clients.size;
  }

  /** A request came. One that its client's rate refuses costs the others nothing. @returns undefined: within the rates */
  request(address: string, now: number): RateRefusal | undefined {
    return this.#ofClient(address, now) ?? refused('process', this.#process.take(ALL, this.#inAll, now));
  }

  #ofClient(address: string, now: number): RateRefusal | undefined {
    const rate = this.#perAddress;
    return rate === 'none' ? undefined : refused('address', this.#clients.take(addressGroup(address), rate, now));
  }

  /** A verified delivery came: only its sender can use up the rate of a source. @returns undefined: within the rate */
  delivery({ namespace, name, limits }: SignalSource, now: number): RateRefusal | undefined {
    const rate = { perSecond: limits.rps, burst: limits.burst };
    return refused('source', this.#sources.take(`${namespace}/${name}`, rate, now));
  }
}
