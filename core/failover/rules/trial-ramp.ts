import { metricsOf } from '../clean-metrics.ts';
import { stay, type Answer } from './answer.ts';
import { comparableStandbys, isHeld } from './candidates.ts';
import { blockedBy, isSlow } from './degraded.ts';
import { startRamp } from './ramp.ts';
import type { Situation } from './situation.ts';

// Counts are estimates of the source, so one failed probe may count as a little less than 1.
const HALF_A_PROBE = 0.5;

function isTarget(situation: Situation, provider: string): boolean {
  if (provider === situation.active || !situation.input.resolved.includes(provider)) return false;
  const { breaker, windows, probe } = metricsOf(situation.metrics, provider);
  if (breaker === 'open' || isHeld(situation, provider)) return false;
  return windows['10m'].bad === 0 && probe.n - probe.ok < HALF_A_PROBE;
}

/** The first fallback without a known fault, when a trial is needed (failover.md §5.2). */
function target(situation: Situation): string | undefined {
  const { config } = situation;
  if (config.strategy !== 'latency' || !isSlow(situation) || comparableStandbys(situation).length > 0) return undefined;
  return config.fallbacks.find((provider) => isTarget(situation, provider));
}

/**
 * Rule 4b: when no provider can be compared with a slow one, a share of the runs measures the latency of a fallback.
 * @returns undefined when the rule does not apply; its streak ends
 */
export function trialRamp(situation: Situation): Answer | undefined {
  const to = target(situation);
  if (to === undefined) return undefined;
  const trial = Math.min(situation.config.latency.consecutive, situation.input.memory.trial + 1);
  const blocked = blockedBy(situation, trial);
  if (blocked === undefined) return startRamp(situation, to, 'trial-ramp');
  const waiting = stay(situation.status, 'trial-ramp', blocked);
  return { ...waiting, streaks: { ...waiting.streaks, trial } };
}
