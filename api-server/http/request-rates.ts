import type { Caller } from '../../core/api-key/caller.ts';
import { addressGroup } from '../../core/network/address-group.ts';
import { isLoopback } from '../../core/network/loopback.ts';
import type { Rate, RateLimit } from '../../core/rate-limit/rate.ts';
import { RateLimiter, type LimitName, type RateHeaders } from '../../core/rate-limit/rate-limiter.ts';
import type { RateRefusal } from './rate-problem.ts';

/** Rates of requests, whatever they are for (security.md S15). */
export interface RequestRateLimits {
  /** Of each key without a rate of its own, and of each ServiceAccount. */
  readonly key: RateLimit;
  /** Of each address: requests without a valid key. */
  readonly address: RateLimit;
  /** Of all requests to this process. */
  readonly process: RateLimit;
  /** Of refusals that this process sends; more of them wait. */
  readonly refusals: RateLimit;
}

export const NO_RATES: RequestRateLimits = { key: 'none', address: 'none', process: 'none', refusals: 'none' };

/** Whether a request may go on. */
export type RateStep =
  | { readonly kind: 'allowed'; readonly headers: RateHeaders }
  | { readonly kind: 'limited'; readonly refusal: RateRefusal };

const UNLIMITED: RateStep = { kind: 'allowed', headers: {} };
const ALL = 'all';

/**
 * Rates of requests by key, by address and of the process. What one limit refuses takes nothing from the next one: so a
 * key that asks too often leaves the rate of the process to the others. What the process refuses takes nothing from a key.
 *
 * A valid key is never refused because of its address: others behind the same address could use up its rate. Callers on
 * this machine have no rate by address, because all of them have the same address.
 */
export class RequestRates {
  readonly #limits: RequestRateLimits;
  readonly #now: () => number;
  readonly #keys = new RateLimiter('key');
  readonly #addresses = new RateLimiter('address');
  readonly #process = new RateLimiter('process');

  /** @param now monotonic ms */
  constructor(limits: RequestRateLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** A request with a valid key or token. */
  ofCaller({ id, rate }: Pick<Caller, 'id' | 'rate'>): RateStep {
    const step = this.#take('key', this.#keys, id, rate ?? this.#limits.key);
    if (step.kind === 'allowed') {
      const all = this.#ofProcess(step);
      if (all.kind === 'limited') this.#keys.giveBack(id);
      return all;
    }
    return rate === undefined ? step : { ...step, refusal: { ...step.refusal, isOwn: true } };
  }

  /** A request without credentials, or with wrong ones. */
  ofStranger(address: string): RateStep {
    if (isLoopback(address)) return this.#ofProcess(UNLIMITED);
    const step = this.#take('address', this.#addresses, addressGroup(address), this.#limits.address);
    return step.kind === 'allowed' ? this.#ofProcess(step) : step;
  }

  /** Whether credentials from this address may be checked where that costs a call to another service. */
  mayCheck(address: string): boolean {
    return isLoopback(address) || this.#addresses.has(addressGroup(address), this.#now());
  }

  /** Of the process alone: the answer says nothing about how much others ask. */
  #ofProcess(step: RateStep): RateStep {
    const all = this.#take('process', this.#process, ALL, this.#limits.process);
    return all.kind === 'allowed' ? step : all;
  }

  #take(limit: LimitName, limiter: RateLimiter, id: string, rate: RateLimit): RateStep {
    if (rate === 'none') return UNLIMITED;
    const verdict = limiter.take(id, rate, this.#now());
    return verdict.allowed
      ? { kind: 'allowed', headers: verdict.headers() }
      : { kind: 'limited', refusal: refusalOf(limit, rate, verdict.headers()) };
  }
}

const refusalOf = (limit: LimitName, rate: Rate, headers: RateHeaders): RateRefusal => ({ limit, rate, headers });
