import { cleanMetrics, MAX_TIME } from './clean-metrics.ts';
import { followPin, type FollowedPin } from './follow-pin.ts';
import type { UnusableReason } from './metrics.ts';
import { judge, type PolicyInput } from './policy.ts';
import { NO_STREAKS, type Answer } from './rules/answer.ts';
import { candidatesOf } from './rules/candidates.ts';
import { failingVerdict } from './rules/hard-failure.ts';
import { isActiveNan, latencyVerdict, situationOf, type Situation } from './rules/situation.ts';
import { newStatus } from './status-codec.ts';
import type { Decision, Explain, FailoverInput, FailoverOutput, FailoverStatus, RuleId, Verdict } from './types.ts';

const FREEZE_MS = 3_600_000;
// failover.md §4: the largest `dwell.max`.
const MAX_DWELL_MS = 86_400_000;

/**
 * Limits times of the status that are further ahead than any rule sets them, for example after a wrong clock or a
 * manual edit. Possible times are kept (failover.md §5.2).
 * @param dwellMaxMs `dwell.max`
 */
function clampStatus(status: FailoverStatus, now: number, dwellMaxMs: number): FailoverStatus {
  const latest = now + Math.floor(1.5 * (dwellMaxMs >= 0 && dwellMaxMs <= MAX_DWELL_MS ? dwellMaxMs : MAX_DWELL_MS));
  const { holds, dwellUntil, frozen, ramp } = status;
  return {
    ...status,
    holds: holds.map((hold) => (hold.until > latest ? { ...hold, until: latest } : hold)),
    dwellUntil: dwellUntil === null ? null : Math.min(dwellUntil, latest),
    frozen: frozen === null ? null : { ...frozen, until: Math.min(frozen.until, now + FREEZE_MS) },
    ramp: ramp === null ? null : { ...ramp, stepStartedAt: Math.min(ramp.stepStartedAt, now) },
  };
}

/** Without usable metrics, only a pin that was just followed changes the provider. */
function unusable(moment: PolicyInput, why: UnusableReason | 'now'): FailoverOutput {
  const { input, pinned } = moment;
  const { decision, status } = judge(moment);
  const latched = pinned.swapped || input.memory.latched === null ? null : { ...input.memory.latched, fastTicks: 0 };
  return {
    verdict: { kind: 'unavailable', why },
    decision,
    next: status,
    memory: { ...NO_STREAKS, latched },
    events: pinned.events,
    explain: {
      rule: ruleOf(decision),
      limitMs: input.config.latency.thresholdMs,
      baseMs: latched?.baseMs ?? null,
      window: null,
      minSamples: input.config.latency.minSamples ?? 0,
      candidates: [],
    },
  };
}

const ruleOf = (decision: Decision): RuleId => (decision.kind === 'ramp-abort' ? 'ramp' : decision.rule);

function explain(situation: Situation, { decision }: Answer): Explain {
  const { limitMs, baseMs, window, minSamples } = situation;
  return { rule: ruleOf(decision), limitMs, baseMs, window, minSamples, candidates: candidatesOf(situation) };
}

function usable(moment: PolicyInput, situation: Situation): FailoverOutput {
  const { input, pinned } = moment;
  const answer = judge(moment);
  const verdict: Verdict = failingVerdict(situation) ?? latencyVerdict(situation);
  const hasMoved = answer.status.activeProvider !== (input.persisted?.activeProvider ?? answer.status.activeProvider);
  const isOver = hasMoved || answer.decision.kind === 'ramp-abort';
  return {
    verdict,
    decision: answer.decision,
    next: answer.status,
    memory: { ...(isOver ? NO_STREAKS : answer.streaks), latched: hasMoved ? null : situation.latched },
    events: [...pinned.events, ...answer.events],
    explain: explain(situation, answer),
  };
}

/** Rounds to whole ms, so that a status that was written and read back equals the decided one. */
function normalised(input: FailoverInput): FailoverInput {
  const now = Math.floor(input.now);
  const { persisted, config } = input;
  return { ...input, now, persisted: persisted === null ? null : clampStatus(persisted, now, config.dwell.maxMs) };
}

const isTime = (now: number): boolean => now >= 0 && now <= MAX_TIME;

function untimed(input: FailoverInput): PolicyInput {
  const next = input.persisted ?? newStatus(input.resolved[0] ?? input.config.primary, 0);
  const pinned: FollowedPin = { holds: 'none', swapped: false, next, events: [] };
  return { input, pinned, metrics: { kind: 'unusable', why: 'now' } };
}

function momentOf(input: FailoverInput): PolicyInput {
  const pinned = followPin({ ...input, hasSwapConfig: true });
  return { input, pinned, metrics: assessMetrics(input, pinned.next) };
}

function assessMetrics(input: FailoverInput, status: FailoverStatus): PolicyInput['metrics'] {
  const { metrics } = input;
  if (metrics.state === 'unusable') return { kind: 'unusable', why: metrics.why };
  if (!Number.isFinite(metrics.ageMs)) return { kind: 'unusable', why: 'stale' };
  const situation = situationOf(input, status, cleanMetrics(metrics));
  return isActiveNan(situation) ? { kind: 'unusable', why: 'active-nan' } : { kind: 'usable', situation };
}

/**
 * Decides which provider is active from now on (failover.md §5): total, no I/O, no clock. Times in ms since epoch,
 * latencies in ms. A swap counts only after `next` was written; until then its Event and its memory are not valid.
 */
export function decide(input: FailoverInput): FailoverOutput {
  const moment = isTime(input.now) ? momentOf(normalised(input)) : untimed(input);
  const { metrics } = moment;
  return metrics.kind === 'usable' ? usable(moment, metrics.situation) : unusable(moment, metrics.why);
}
