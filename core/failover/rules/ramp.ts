import { metricsOf } from '../clean-metrics.ts';
import { failoverEvent } from '../events.ts';
import type { ProviderMetrics } from '../metrics.ts';
import type { Ramp, ResolvedSwapConfig } from '../types.ts';
import { NO_STREAKS, stay, type Answer } from './answer.ts';
import { isFresh } from './candidates.ts';
import { freeze, isCapReached } from './flapping.ts';
import { automaticSwap, withAbort } from './hold.ts';
import { valueOf, type Situation } from './situation.ts';

// failover.md §5.3: limits for a bad step of a failback, and for a step of a trial.
const MIN_ATTEMPTS = 5;
const MIN_BAD_RATIO = 0.1;
const MIN_COMPARED = 10;
const MIN_TRIED = 5;
const MAX_WAIT_MS = 600_000;

type RampRule = 'failback' | 'trial-ramp';

/** Steps up to 100. A trial begins with 10 when the configuration has no steps. */
function stepsOf({ failback }: ResolvedSwapConfig, trial: boolean): readonly number[] {
  return trial && failback.ramp.length <= 1 ? [10, 100] : failback.ramp;
}

const badRatio = ({ attempts, bad }: { readonly attempts: number; readonly bad: number }): number =>
  attempts > 0 ? bad / attempts : 0;

/** Begins or continues a ramp, or ends it with the swap. At the limit of swaps it freezes instead. */
function stepTo(situation: Situation, to: string, percent: number, trial: boolean): Answer {
  if (isCapReached(situation)) return freeze(situation);
  const rule = trial ? 'trial-ramp' : 'failback';
  if (percent >= 100) return automaticSwap(situation, { to, reason: trial ? 'latency' : 'failback', rule });
  return {
    decision: { kind: 'ramp', rule, to, percent, trial },
    status: { ...situation.status, ramp: { provider: to, percent, stepStartedAt: situation.now, trial } },
    events: [],
    streaks: NO_STREAKS,
  };
}

/** First step of a ramp: back to the primary (rule 5), or a trial that measures a provider (rule 4b). */
export function startRamp(situation: Situation, to: string, rule: RampRule): Answer {
  const trial = rule === 'trial-ramp';
  const percent = stepsOf(situation.config, trial).find((step) => step > 0) ?? 100;
  const answer = stepTo(situation, to, percent, trial);
  if (answer.decision.kind !== 'ramp') return answer;
  const why = trial ? 'to find out how fast it is' : 'on the way back to the primary';
  return {
    ...answer,
    events: [failoverEvent('Normal', 'RampStarted', `A share of the runs goes to "${to}", ${why}.`)],
  };
}

const nextStep = (situation: Situation, { provider, percent, trial }: Ramp): Answer =>
  stepTo(situation, provider, stepsOf(situation.config, trial).find((step) => step > percent) ?? 100, trial);

function abort(situation: Situation, { provider, trial }: Ramp, why: string): Answer {
  const note = `The share of the runs that went to "${provider}" goes back to "${situation.active}": ${why}.`;
  return {
    decision: { kind: 'ramp-abort', to: provider, trial, why },
    status: withAbort(situation.status, situation, provider),
    events: [failoverEvent('Warning', 'RampAborted', note)],
    streaks: NO_STREAKS,
  };
}

/** Whether the ramp's provider is slower. Two minutes cover the step, because this provider had no traffic before. */
function isSlower({ own, config }: Situation, target: ProviderMetrics): boolean {
  if (config.strategy !== 'latency') return false;
  const [theirs, ours] = [target.windows['2m'], own.windows['2m']];
  if (theirs.n < MIN_COMPARED || ours.n < MIN_COMPARED) return false;
  const [p50, limit] = [valueOf(theirs.p50), valueOf(ours.p50)];
  return p50 !== null && limit !== null && p50 > config.failback.maxRatio * limit;
}

function failedStepReason(situation: Situation, target: ProviderMetrics): string | undefined {
  const traffic = target.windows['2m'];
  const limit = Math.max(MIN_BAD_RATIO, 2 * badRatio(situation.own.windows['2m']));
  if (traffic.attempts >= MIN_ATTEMPTS && badRatio(traffic) >= limit) return 'errors';
  if (isFresh(situation, target) && target.probe.streak === 0) return 'probe-failed';
  return isSlower(situation, target) ? 'slow' : undefined;
}

function failbackStep(situation: Situation, ramp: Ramp, isOld: boolean): Answer {
  const bad = failedStepReason(situation, metricsOf(situation.metrics, ramp.provider));
  if (bad !== undefined) return abort(situation, ramp, bad);
  if (!isOld) return stay(situation.status, 'ramp', 'step-running');
  return nextStep(situation, ramp);
}

/** Why a trial ends; undefined when the provider is fast enough and not broken. */
function trialFault({ own, config }: Situation, target: ProviderMetrics): string | undefined {
  const traffic = target.windows['2m'];
  const [p50, limit] = [valueOf(traffic.p50), valueOf(own.windows['2m'].p50)];
  if (p50 === null || limit === null) return 'latency-unknown';
  if (p50 > (1 - config.latency.minImprovement) * limit) return 'not-faster';
  return badRatio(traffic) < config.hardFailure.errorRatio ? undefined : 'errors';
}

function trialStep(situation: Situation, ramp: Ramp, isOld: boolean): Answer {
  const { status, now } = situation;
  if (!isOld) return stay(status, 'ramp', 'step-running');
  const target = metricsOf(situation.metrics, ramp.provider);
  if (target.windows['2m'].n < MIN_TRIED) {
    const isWaiting = now - ramp.stepStartedAt < MAX_WAIT_MS;
    return isWaiting ? stay(status, 'ramp', 'too-few-runs') : abort(situation, ramp, 'too-few-runs');
  }
  const found = trialFault(situation, target);
  return found === undefined ? nextStep(situation, ramp) : abort(situation, ramp, found);
}

/** Whether the manifest still lists the ramp's provider: it may have changed since the ramp began. */
const isListed = ({ config }: Situation, { provider, trial }: Ramp): boolean =>
  trial ? config.fallbacks.includes(provider) : provider === config.primary;

/** Rule 5a: checks the current step of a ramp. */
export function rampStep(situation: Situation, ramp: Ramp): Answer {
  if (!isListed(situation, ramp)) return abort(situation, ramp, 'no-longer-listed');
  if (metricsOf(situation.metrics, ramp.provider).breaker === 'open') return abort(situation, ramp, 'breaker-open');
  const isOld = situation.now - ramp.stepStartedAt >= situation.config.failback.rampStepMs;
  return ramp.trial ? trialStep(situation, ramp, isOld) : failbackStep(situation, ramp, isOld);
}
