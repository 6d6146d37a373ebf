import type { FailoverMoment } from '../../core/orb/plan-failover.ts';

/** The moment of a plan, with the receipt id of its time; by default without Prometheus. */
export const aMoment = (now: number, change: Partial<FailoverMoment> = {}): FailoverMoment => ({
  now,
  epoch: 1,
  receiptId: `rcpt_${now}`,
  random: 0.5,
  scrapeIntervalMs: undefined,
  ...change,
});
