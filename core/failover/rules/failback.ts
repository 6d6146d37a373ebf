import { metricsOf } from '../clean-metrics.ts';
import { failoverEvent } from '../events.ts';
import { stay, type Answer } from './answer.ts';
import { candidateLatency, isHeld, isUsable } from './candidates.ts';
import { startRamp } from './ramp.ts';
import type { Situation } from './situation.ts';

/**
 * Probes that can't measure a run's latency, and an active provider without traffic, leave nothing to compare. One whose
 * traffic is there and can't be read is no such provider.
 */
function isFastEnough(situation: Situation): boolean {
  const { config, window, p50Ms } = situation;
  const { primary, probe, strategy } = config;
  if (strategy !== 'latency' || window === null) return true;
  if (p50Ms === null) return false;
  const latency = candidateLatency(situation, primary);
  if (latency === undefined) return !probe.ownRequest.includes(primary);
  return latency.p50Ms <= config.failback.maxRatio * p50Ms;
}

/** Without probes nothing is known of the primary: its hold is all that there is to wait for. */
function isRecovered(situation: Situation): boolean {
  const { config, metrics } = situation;
  const { primary, failback: wanted } = config;
  const { probe, breaker } = metricsOf(metrics, primary);
  if (config.probe.mode === 'none') return breaker !== 'open';
  if (!isUsable(situation, primary) || probe.n < wanted.minProbeSamples) return false;
  return probe.n > 0 && probe.ok / probe.n >= wanted.minProbeOk && isFastEnough(situation);
}

const ready = (primary: string): Answer['events'] => [
  failoverEvent(
    'Normal',
    'FailbackReady',
    `"${primary}" is well again; swap back when you like (failback.mode: manual).`,
  ),
];

/** Why a primary that is well is not gone back to yet. */
function blockedBy(situation: Situation, streak: number): string | undefined {
  const { failback: wanted, primary } = situation.config;
  if (streak < wanted.consecutive) return 'streak';
  return isHeld(situation, primary) ? 'hold-down' : undefined;
}

/**
 * Rule 5: goes back to a primary that is well again, by a ramp; with `failback.mode: manual` it says so once, and from then on
 * the streak is one more than it needs to be.
 * @returns undefined: it says nothing, and its streak is over
 */
export function failback(situation: Situation): Answer | undefined {
  const { config, active, input, status } = situation;
  const { primary } = config;
  if (active === primary || !input.resolved.includes(primary) || !isRecovered(situation)) return undefined;
  const { consecutive, mode } = config.failback;
  const before = input.memory.recovered;
  const streak = Math.min(consecutive, before + 1);
  const blocked = blockedBy(situation, streak);
  if (mode === 'auto' && blocked === undefined) return startRamp(situation, primary, 'failback');
  const waiting = stay(status, 'failback', blocked ?? 'manual');
  const recovered = blocked === undefined ? consecutive + 1 : streak;
  const events = blocked === undefined && before <= consecutive ? ready(primary) : [];
  return { ...waiting, events, streaks: { ...waiting.streaks, recovered } };
}
