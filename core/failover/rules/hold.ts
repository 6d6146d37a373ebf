import { providerChanged } from '../events.ts';
import { recordSwap, type Swap } from '../record-swap.ts';
import type { FailoverStatus, SwapRecord } from '../types.ts';
import { NO_STREAKS, type Answer } from './answer.ts';
import type { Situation } from './situation.ts';

const HOUR_MS = 3_600_000;
// Upper bounds: `dwell.max` with its jitter (failover.md §4); a level of 1000, as in the schema of the status.
const MAX_HOLD_MS = 36 * HOUR_MS;
const MAX_LEVEL = 1000;
// A manifest defines a primary and at most 16 other providers.
const MAX_HOLDS = 17;
const MAX_ABORTS = 60;

/** Whether a time is within an hour of `now`, also in the future: after a clock is set back, swaps still count. */
export const isWithinHour = (at: number, now: number): boolean => Math.abs(now - at) < HOUR_MS;

/** Number of times that a provider was left for its own fault within the hour, including this time. */
function levelOf({ status, now }: Situation, provider: string): number {
  const isFault = ({ from, at, reason }: SwapRecord): boolean =>
    from === provider && (reason === 'latency' || reason === 'hard_failure') && isWithinHour(at, now);
  const aborts = status.aborts.filter((abort) => abort.provider === provider && isWithinHour(abort.at, now));
  return Math.min(MAX_LEVEL, 1 + status.history.filter(isFault).length + aborts.length);
}

const bounded = (ms: number): number => (ms > 0 ? Math.round(Math.min(ms, MAX_HOLD_MS)) : 0);

/** Length of a hold in ms: doubles (`multiplier`) with each time, up to `max`, with jitter (failover.md §5.2). */
function holdMs({ config, input }: Situation, level: number): number {
  const { maxMs, holdDownMs, multiplier, jitter } = config.dwell;
  const even = Math.min(maxMs, holdDownMs * multiplier ** (level - 1));
  return bounded(even * (1 + jitter * (2 * input.random - 1)));
}

/**
 * Holds the provider that was left, so that there is no early swap back. The new active provider gets a dwell, so that
 * it is not left at once.
 * @param to the new active provider
 */
function withHold(status: FailoverStatus, situation: Situation, left: string, to: string): FailoverStatus {
  const { now, config } = situation;
  const level = levelOf(situation, left);
  const ms = holdMs(situation, level);
  const others = status.holds.filter(({ provider, until }) => provider !== left && provider !== to && until > now);
  return {
    ...status,
    holds: [...others, { provider: left, until: now + ms, level }].slice(-MAX_HOLDS),
    dwellUntil: now + (to === config.primary ? bounded(config.dwell.minMs) : ms),
    aborts: status.aborts.filter(({ at }) => isWithinHour(at, now)),
  };
}

/** Records an aborted ramp: it counts for the hold of its provider like a swap away from it. */
export function withAbort(status: FailoverStatus, situation: Situation, provider: string): FailoverStatus {
  const held = withHold({ ...status, ramp: null }, situation, provider, situation.active);
  return { ...held, aborts: [...held.aborts, { provider, at: situation.now }].slice(-MAX_ABORTS) };
}

/** Makes a swap that no person asked for. A failback sets no hold: the provider that it leaves had no fault. */
export function automaticSwap(situation: Situation, swap: Omit<Swap, 'actor'>): Answer {
  const { status, active, input, now, config } = situation;
  const recorded = recordSwap(status, { ...swap, actor: null }, input);
  const next =
    swap.reason === 'failback'
      ? { ...recorded, dwellUntil: now + bounded(config.dwell.minMs) }
      : withHold(recorded, situation, active, swap.to);
  return {
    decision: { kind: 'swap', rule: swap.rule, to: swap.to, reason: swap.reason },
    status: next,
    events: [providerChanged(active, swap.to, swap.reason)],
    streaks: NO_STREAKS,
  };
}
