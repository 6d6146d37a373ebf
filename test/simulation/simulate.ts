import type { Ramp } from '../../core/failover/types.ts';
import { Series } from './series.ts';
import { draws, END_S, TICK_S, type Answered, type Provider, type Workload } from './workload.ts';

/** The data that a policy may use: counters up to the last scrape. */
export interface View {
  /** Second of the decision: one scrape delay after the last scrape. */
  readonly now: number;
  readonly active: Provider;
  readonly traffic: Readonly<Record<Provider, Series>>;
  readonly probes: Readonly<Record<Provider, Series>>;
}

/** The routing of traffic from the next tick on. */
export interface Route {
  readonly active: Provider;
  readonly ramp: Pick<Ramp, 'provider' | 'percent'> | null;
}

export type Policy = (view: View) => Route;

interface Swap {
  readonly second: number;
  readonly to: Provider;
}

export interface Run {
  readonly swaps: readonly Swap[];
  readonly requests: number;
  readonly failed: number;
  /** Requests in the slow quarter of an hour. */
  readonly slow: { readonly all: number; readonly toA: number };
}

interface Sent {
  readonly second: number;
  readonly provider: Provider;
  readonly answer: Answered;
}

const SLOW_FROM_S = 1800;
const SLOW_TO_S = 2700;

const seriesOfBoth = (): Record<Provider, Series> => ({ a: new Series(), b: new Series() });

/**
 * Sends one run's requests and probes, and lets a policy decide every 15 seconds.
 * @param probeEveryS Infinity: no probes
 */
export function simulate(workload: Workload, policy: Policy, probeEveryS: number): Run {
  const { poisson, request } = draws(workload);
  const [traffic, probes] = [seriesOfBoth(), seriesOfBoth()];
  const swaps: Swap[] = [];
  const slow = { all: 0, toA: 0 };
  const sum = { requests: 0, failed: 0 };
  let route: Route = { active: 'a', ramp: null };

  const target = (): Provider => {
    const { ramp, active } = route;
    const isShare = ramp !== null && (37 * sum.requests) % 100 < ramp.percent;
    return isShare ? (active === 'a' ? 'b' : 'a') : active;
  };
  const send = (second: number): Sent => {
    const provider = target();
    const sent = { second, provider, answer: request(provider, second) };
    sum.requests += 1;
    if (!sent.answer.ok) sum.failed += 1;
    if (second >= SLOW_FROM_S && second < SLOW_TO_S) {
      slow.all += 1;
      if (provider === 'a') slow.toA += 1;
    }
    return sent;
  };
  const observe = ({ second, provider, answer }: Sent): void => traffic[provider].observe(answer, second);

  for (let second = 0; second < END_S; second += TICK_S) {
    const count = poisson(TICK_S * workload.rps);
    const sent = Array.from({ length: count }, (_, index) => send(second + (TICK_S * index) / count));
    const standby = route.active === 'a' ? 'b' : 'a';
    // The scrape at this second only sees requests that were sent up to it.
    sent.slice(0, 1).forEach(observe);
    if (probeEveryS !== Infinity && second % probeEveryS === 0)
      probes[standby].observe(request(standby, second), second);
    for (const series of [traffic.a, traffic.b, probes.a, probes.b]) series.scrape();
    sent.slice(1).forEach(observe);
    const next = policy({ now: second + TICK_S, active: route.active, traffic, probes });
    if (next.active !== route.active) swaps.push({ second: second + TICK_S, to: next.active });
    route = next;
  }
  return { swaps, ...sum, slow };
}
