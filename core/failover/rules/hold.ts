import { providerChanged } from '../events.ts';
import { recordSwap, type Swap } from '../record-swap.ts';
import type { FailoverStatus, SwapRecord } from '../types.ts';
import { NO_STREAKS, type Answer } from './answer.ts';
import type { Situation } from './situation.ts';

const HOUR_MS = 3_600_000;
// Upper bounds of failover.md §4: `dwell.max` with its jitter; 1000 as the status has it.
const MAX_HOLD_MS = 36 * HOUR_MS;
const MAX_LEVEL = 1000;
// A primary and at most 16 others that a manifest defines.
const MAX_HOLDS = 17;
const MAX_ABORTS = 60;

/** Also true for times that are still to come: a clock that was set back must not forget swaps. */
export const isWithinHour = (at: number, now: number): boolean => Math.abs(now - at) < HOUR_MS;

/** How often a provider was left within the hour for a fault of its own, this time included. */
function levelOf({ status, now }: Situation, provider: string): number {
  const isFault = ({ from, at, reason }: SwapRecord): boolean =>
    from === provider && (reason === 'latency' || reason === 'hard_failure') && isWithinHour(at, now);
  const aborts = status.aborts.filter((abort) => abort.provider === provider && isWithinHour(abort.at, now));
  return Math.min(MAX_LEVEL, 1 + status.history.filter(isFault).length + aborts.length);
}

const bounded = (ms: number): number => (ms > 0 ? Math.round(Math.min(ms, MAX_HOLD_MS)) : 0);

/** Ms: doubles (`multiplier`) with each time, up to `max`, with jitter (failover.md §5.2). */
function holdMs({ config, input }: Situation, level: number): number {
  const { maxMs, holdDownMs, multiplier, jitter } = config.dwell;
  const even = Math.min(maxMs, holdDownMs * multiplier ** (level - 1));
  return bounded(even * (1 + jitter * (2 * input.random - 1)));
}

/**
 * Keeps a provider from being gone back to, and the one that is active from then on from being left at once.
 * @param to active from then on
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

/** An aborted ramp counts for the hold of its provider as if that had been left. */
export function withAbort(status: FailoverStatus, situation: Situation, provider: string): FailoverStatus {
  const held = withHold({ ...status, ramp: null }, situation, provider, situation.active);
  return { ...held, aborts: [...held.aborts, { provider, at: situation.now }].slice(-MAX_ABORTS) };
}

/** A swap that no person asked for. After a failback nothing is held: the provider that is left did its work. */
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
