import { stay, type Answer } from './answer.ts';
import { comparableStandbys, fastest, isFaster, isHeld, type Ranked } from './candidates.ts';
import { freeze, isCapReached } from './flapping.ts';
import { automaticSwap } from './hold.ts';
import type { Situation } from './situation.ts';

export const isSlow = ({ pqMs, limitMs }: Situation): boolean => pqMs !== null && limitMs !== null && pqMs > limitMs;

/** Why the active provider stays: slow for too short a time, or too soon after a swap. Undefined: it may be left. */
export function blockedBy({ status, now, config }: Situation, streak: number): string | undefined {
  if (streak < config.latency.consecutive) return 'streak';
  return status.dwellUntil !== null && now < status.dwellUntil ? 'dwell' : undefined;
}

/** Rule 4: a better provider than the slow one; undefined when the active one is not slow or no provider is better. */
function better(situation: Situation): Ranked | undefined {
  if (situation.config.strategy !== 'latency' || !isSlow(situation)) return undefined;
  const found = comparableStandbys(situation).filter(
    (candidate) => !isHeld(situation, candidate.provider) && isFaster(situation, candidate),
  );
  return fastest(found, 0);
}

/**
 * Rule 4: swaps from a slow provider to a provider with a measured lower latency.
 * @returns undefined when the rule does not apply; its streak ends
 */
export function degraded(situation: Situation): Answer | undefined {
  const found = better(situation);
  if (found === undefined) return undefined;
  const { consecutive } = situation.config.latency;
  const streak = Math.min(consecutive, situation.input.memory.degraded + 1);
  const blocked = blockedBy(situation, streak);
  if (blocked !== undefined) {
    const waiting = stay(situation.status, 'degraded', blocked);
    return { ...waiting, streaks: { ...waiting.streaks, degraded: streak } };
  }
  if (isCapReached(situation)) return freeze(situation);
  return automaticSwap(situation, { to: found.provider, reason: 'latency', rule: 'degraded' });
}
