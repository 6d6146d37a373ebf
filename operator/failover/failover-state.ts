import type { Clock } from '../../adapters/time/clock.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { FailoverMoment } from '../../core/orb/plan-failover.ts';
import { EvaluatedOrbs } from './evaluated-orbs.ts';
import type { FailoverGauges } from './gauges.ts';

/** State that the tick and the reconciles of Orbs share. */
export interface FailoverState {
  readonly orbs: EvaluatedOrbs;
  readonly gauges: FailoverGauges;
  /** Returns a new receipt id each time. */
  readonly moment: () => Omit<FailoverMoment, 'evaluation'>;
  /** Whether this is the first call for the key since this process became the leader. */
  readonly isFirst: (key: string) => boolean;
}

interface FailoverStateDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** [0, 1) */
  readonly random: () => number;
  readonly randomBytes: (bytes: number) => Uint8Array;
  /** Epoch of the held lease. */
  readonly epoch: () => number;
  /** Scrape interval of the metrics source; absent without a source. */
  readonly scrapeIntervalMs: number | undefined;
  readonly gauges: FailoverGauges;
}

export function createFailoverState(deps: FailoverStateDeps): FailoverState {
  const { clock, random, randomBytes, epoch, scrapeIntervalMs, gauges } = deps;
  // Steps of the wall clock must not move a hold or a pin (failover.md §5.2).
  const offset = clock.now() - clock.monotonic();
  let seen = { epoch: 0, keys: new Set<string>() };
  return {
    orbs: new EvaluatedOrbs(gauges.remove),
    gauges,
    moment: () => {
      const now = Math.floor(offset + clock.monotonic());
      return { now, epoch: epoch(), receiptId: newId('rcpt_', now, randomBytes), random: random(), scrapeIntervalMs };
    },
    isFirst: (key) => {
      if (seen.epoch !== epoch()) seen = { epoch: epoch(), keys: new Set() };
      const isNew = !seen.keys.has(key);
      seen.keys.add(key);
      return isNew;
    },
  };
}
