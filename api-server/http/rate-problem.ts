import type { Rate } from '../../core/rate-limit/rate.ts';
import type { LimitName, RateHeaders } from '../../core/rate-limit/rate-limiter.ts';
import { problem } from './problem.ts';
import type { Reply } from './route.ts';

/** A rate that is used up. */
export interface RateRefusal {
  readonly limit: LimitName;
  /** Undefined: a rate that the answer does not explain. */
  readonly rate?: Rate;
  readonly headers: RateHeaders;
  /** The limit is one of this caller's key, not the one of the installation. */
  readonly isOwn?: true;
}

const flag = (name: string): string => `(--rate-${name}, in the chart api.rates.${name})`;
const often = ({ perSecond, burst }: Rate, what: string): string =>
  burst === perSecond ? `${perSecond} ${what} a second` : `${perSecond} ${what} a second, ${burst} at once`;

/** What each limit allows, and where it is set. */
const texts: Readonly<Record<LimitName, (rate: Rate, isOwn: boolean) => string>> = {
  address: (rate) => `An address may send ${often(rate, 'requests')}, without a valid key ${flag('address')}.`,
  key: (rate, isOwn) =>
    `The key may send ${often(rate, 'requests')} ${isOwn ? '(orb keys create --rate)' : flag('key')}.`,
  tenant: (rate) => `The tenant may start ${often(rate, 'runs')} ${flag('tenant')}.`,
  orb: (rate) => `All tenants together may start ${often(rate, 'runs of this Orb')} ${flag('orb')}.`,
  orbiset: ({ perSecond }) => `The Orbiset allows ${perSecond} runs a second.`,
  source: (rate) => `The signal source takes ${often(rate, 'deliveries')} (spec.limits).`,
  process: (rate) => `This process takes ${often(rate, 'requests')} of all callers ${flag('process')}.`,
};

/** 429 with the limit that was hit. */
export const rateProblem = (
  request: { readonly requestId: string },
  { limit, rate, headers, isOwn }: RateRefusal,
): Reply =>
  problem(request, 'rate-limited', {
    ...(rate === undefined ? {} : { detail: texts[limit](rate, isOwn === true) }),
    headers,
    extensions: { limit },
  });
