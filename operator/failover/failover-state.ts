import type { Clock } from '../../adapters/time/clock.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { FailoverMoment } from '../../core/orb/plan-failover.ts';
import { EvaluatedOrbs } from './evaluated-orbs.ts';
import type { FailoverGauges } from './gauges.ts';

/** What the tick and the reconciles of Orbs share. */
export interface FailoverState {
  readonly orbs: EvaluatedOrbs;
  readonly gauges: FailoverGauges;
  /** A new receipt id each time. */
  readonly moment: () => Omit<FailoverMoment, 'look'>;
  /** Whether this is the first call for the key since this process leads. */
  readonly isFirst: (key: string) => boolean;
}

interface FailoverStateDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** [0, 1) */
  readonly random: () => number;
  readonly randomBytes: (bytes: number) => Uint8Array;
  /** Of the lease that is held. */
  readonly epoch: () => number;
  /** Of the source of figures; absent: there is none. */
  readonly scrapeIntervalMs: number | undefined;
  readonly gauges: FailoverGauges;
}

export function createFailoverState(deps: FailoverStateDeps): FailoverState {
  const { clock, random, randomBytes, epoch, scrapeIntervalMs, gauges } = deps;
  // A wall clock that steps must move no hold and no pin (failover.md §5.2).
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
