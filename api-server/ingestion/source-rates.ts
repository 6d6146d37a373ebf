import { clientName } from '../../core/network/client-name.ts';
import { ofOneSecond, type Rate } from '../../core/rate-limit/rate.ts';
import { RateLimiter, type LimitName, type RateVerdict } from '../../core/rate-limit/rate-limiter.ts';
import type { RateRefusal } from '../http/rate-problem.ts';
import type { SignalSource } from './source.ts';

/** Requests a second of one client, and of all clients of this process (ingestion.md §6). */
export interface IngestLimits {
  readonly perAddress: number;
  readonly inAll: number;
}

const ingestLimits: IngestLimits = { perAddress: 100, inAll: 1000 };

const ALL = 'all';

const refused = (limit: LimitName, verdict: RateVerdict): RateRefusal | undefined =>
  verdict.allowed ? undefined : { limit, headers: verdict.headers() };

/** Rates of requests to signal sources. Times are monotonic ms; each process counts for itself. */
export class IngestRates {
  readonly #perAddress: Rate;
  readonly #inAll: Rate;
  readonly #clients = new RateLimiter('address');
  readonly #sources = new RateLimiter('source');
  readonly #process = new RateLimiter('process');

  constructor({ perAddress, inAll }: IngestLimits = ingestLimits) {
    this.#perAddress = ofOneSecond(perAddress);
    this.#inAll = ofOneSecond(inAll);
  }

  /** Number of buckets of clients in memory. */
  get clients(): number {
    return this.#clients.size;
  }

  /** A request came. One that its client's rate refuses costs the others nothing. @returns undefined: within the rates */
  request(address: string, now: number): RateRefusal | undefined {
    return (
      refused('address', this.#clients.take(clientName(address), this.#perAddress, now)) ??
      refused('process', this.#process.take(ALL, this.#inAll, now))
    );
  }

  /** A verified delivery came: only its sender can use up the rate of a source. @returns undefined: within the rate */
  delivery({ namespace, name, limits }: SignalSource, now: number): RateRefusal | undefined {
    const rate = { perSecond: limits.rps, burst: limits.burst };
    return refused('source', this.#sources.take(`${namespace}/${name}`, rate, now));
  }
}
