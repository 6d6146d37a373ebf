import { seeded } from '../support/seeded.ts';

/** The effect of a provider on a request at one moment: latency times `slower`, and a share that fails. */
interface Effect {
  readonly slower: number;
  readonly failing: number;
}

export type Provider = 'a' | 'b';

/** The effect on a provider at a second of the run. */
export type Events = (second: number, provider: Provider) => Effect;

/** One run of failover.md §14. */
export interface Workload {
  readonly rps: number;
  readonly sigma: number;
  /** 1, 2, …: the seed is 7919 times it. */
  readonly index: number;
  readonly events: Events;
}

export const TICK_S = 15;
export const END_S = 10_800;
const BASE_MS: Readonly<Record<Provider, number>> = { a: 200, b: 260 };

const WELL: Effect = { slower: 1, failing: 0 };
const minutes = (second: number): number => second / 60;
const between = (second: number, from: number, to: number): boolean => minutes(second) >= from && minutes(second) < to;

/** Applies events to a only: in failover.md §14 b is always healthy. */
const onA =
  (events: (second: number) => Effect): Events =>
  (second, provider) =>
    provider === 'a' ? events(second) : WELL;
const slow: Effect = { slower: 5, failing: 0 };

export const slowdown = onA((second) => (between(second, 30, 45) ? slow : WELL));
export const blip = onA((second) => (second >= 4200 && second < 4220 ? { slower: 10, failing: 0 } : WELL));
export const tie = onA((second) => (between(second, 90, 110) ? { slower: 1.3, failing: 0 } : WELL));
export const outage = onA((second) => (between(second, 130, 140) ? { slower: 0.02, failing: 1 } : WELL));
export const nothing: Events = () => WELL;
export const all: Events = (second, provider) =>
  [slowdown, blip, tie, outage].map((events) => events(second, provider)).find((effect) => effect !== WELL) ?? WELL;
/** 5 times slower in every other half period. */
export const squareWave = (halfPeriodMinutes: number): Events =>
  onA((second) => (Math.floor(minutes(second) / halfPeriodMinutes) % 2 === 1 ? slow : WELL));
/** Both are slow from minute 30 on, and b recovers 12 minutes later, when the baseline of a is slow too. */
export const lateStandby: Events = (second, provider) =>
  (provider === 'a' ? between(second, 30, 180) : between(second, 20, 42)) ? slow : WELL;

export interface Answered {
  readonly ok: boolean;
  readonly ms: number;
}

/** Draws in the order that failover.md §14 fixes. */
export interface Draws {
  readonly poisson: (mean: number) => number;
  readonly request: (provider: Provider, second: number) => Answered;
}

export function draws({ sigma, index, events }: Workload): Draws {
  const random = seeded(7919 * index);
  const gauss = (): number => {
    const radius = Math.sqrt(-2 * Math.log(random() + 1e-12));
    return radius * Math.cos(2 * Math.PI * random());
  };
  const inverted = (mean: number): number => {
    const draw = random();
    let [count, term, sum] = [0, Math.exp(-mean), Math.exp(-mean)];
    while (sum < draw && count < 1000) {
      count += 1;
      term *= mean / count;
      sum += term;
    }
    return count;
  };
  return {
    poisson: (mean) => (mean <= 30 ? inverted(mean) : Math.max(0, Math.round(mean + Math.sqrt(mean) * gauss()))),
    request: (provider, second) => {
      const { slower, failing } = events(second, provider);
      const ok = random() >= failing;
      return { ok, ms: BASE_MS[provider] * slower * Math.exp(sigma * gauss()) };
    },
  };
}
