import { metricsOf } from '../clean-metrics.ts';
import { failoverEvent } from '../events.ts';
import { stay, type Answer } from './answer.ts';
import { candidateLatency, isHeld, isUsable } from './candidates.ts';
import { startRamp } from './ramp.ts';
import type { Situation } from './situation.ts';

/**
 * Whether the primary is fast enough. It passes when no comparison is possible: the active provider has no traffic, or
 * probes can't measure the latency of a run. It fails when there is traffic but its latency can't be read.
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

/** Whether the primary is healthy again. Without probes its health is unknown, so only its hold delays a failback. */
function isRecovered(situation: Situation): boolean {
  const { config, metrics } = situation;
  const { primary, failback: wanted } = config;
  const { probe, breaker } = metricsOf(metrics, primary);
  if (config.probe.mode === 'none') return breaker !== 'open';
  if (!isUsable(situation, primary) || probe.n < wanted.minProbeSamples) return false;
  return probe.n > 0 && probe.ok / probe.n >= wanted.minProbeOk && isFastEnough(situation);
}

const ready = (primary: string): Answer['events'] => [
  failoverEvent('Normal', 'FailbackReady', `"${primary}" works again; you can swap back (failback.mode: manual).`),
];

/** Why a failback to a healthy primary must wait. */
function blockedBy(situation: Situation, streak: number): string | undefined {
  const { failback: wanted, primary } = situation.config;
  if (streak < wanted.consecutive) return 'streak';
  return isHeld(situation, primary) ? 'hold-down' : undefined;
}

/**
 * Rule 5: goes back by a ramp to a primary that is healthy again. With `failback.mode: manual` it only makes one Event;
 * afterwards the streak is one more than needed, which marks that the Event was made.
 * @returns undefined when the rule does not apply; its streak ends
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
