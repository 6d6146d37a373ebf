import { ofOneSecond, type Rate, type RateLimit } from '../../core/rate-limit/rate.ts';
import { RateLimiter, type LimitName, type RateHeaders } from '../../core/rate-limit/rate-limiter.ts';

/** Rates of runs beside `limits.rate_per_second` of an Orbiset (security.md S15). */
export interface RunRateLimits {
  /** Of each tenant: runs of all its Orbisets. */
  readonly tenant: RateLimit;
  /** Of each Orb: runs of all tenants that call its providers. */
  readonly orb: RateLimit;
}

/** The run that takes tokens. */
export interface RatedRun {
  /** `namespace.name` */
  readonly orbiset: string;
  /** `limits.rate_per_second`; undefined: none. */
  readonly ratePerSecond: number | undefined;
  readonly tenant: string;
  /** `namespace/orb_id`; undefined: the run calls no provider. */
  readonly orb: string | undefined;
}

/** Whether a run may start. */
export type RunRateVerdict =
  | {
      readonly allowed: true;
      /** Of the Orbiset alone: those of tenant and Orb would show what others do. */
      readonly headers: RateHeaders;
      /** Returns the tokens of a run that did not start. */
      readonly giveBack: () => void;
    }
  | { readonly allowed: false; readonly limit: LimitName; readonly rate: Rate; readonly headers: RateHeaders };

interface Wanted {
  readonly limit: LimitName;
  readonly limiter: RateLimiter;
  readonly id: string;
  readonly rate: Rate;
}

/** Rates of runs by Orbiset, tenant and Orb. A run takes a token of each, or of none. Times are monotonic ms. */
export class RunRates {
  readonly #limits: RunRateLimits;
  readonly #orbisets = new RateLimiter('orbiset');
  readonly #tenants = new RateLimiter('tenant');
  readonly #orbs = new RateLimiter('orb');

  constructor(limits: RunRateLimits) {
    this.#limits = limits;
  }

  take(run: RatedRun, now: number): RunRateVerdict {
    const taken: Wanted[] = [];
    const giveBack = (): void => {
      for (const { limiter, id } of taken) limiter.giveBack(id);
    };
    let headers: RateHeaders = {};
    for (const wanted of this.#wanted(run)) {
      const { limit, limiter, id, rate } = wanted;
      const verdict = limiter.take(id, rate, now);
      if (!verdict.allowed) {
        giveBack();
        return { allowed: false, limit, rate, headers: verdict.headers() };
      }
      if (limit === 'orbiset') headers = verdict.headers();
      taken.push(wanted);
    }
    return { allowed: true, headers, giveBack };
  }

  #wanted({ orbiset, ratePerSecond, tenant, orb }: RatedRun): readonly Wanted[] {
    const { tenant: ofTenant, orb: ofOrb } = this.#limits;
    const wanted: Wanted[] = [];
    if (ratePerSecond !== undefined)
      wanted.push({ limit: 'orbiset', limiter: this.#orbisets, id: orbiset, rate: ofOneSecond(ratePerSecond) });
    if (ofTenant !== 'none') wanted.push({ limit: 'tenant', limiter: this.#tenants, id: tenant, rate: ofTenant });
    if (ofOrb !== 'none' && orb !== undefined) wanted.push({ limit: 'orb', limiter: this.#orbs, id: orb, rate: ofOrb });
    return wanted;
  }
}
