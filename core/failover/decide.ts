import { clampStatus } from './clamp-status.ts';
import { cleanMetrics, MAX_TIME, type FreshMetrics } from './clean-metrics.ts';
import { followPin, type FollowedPin } from './follow-pin.ts';
import { NO_STREAKS, stay, type Answer } from './rules/answer.ts';
import { candidatesOf } from './rules/candidates.ts';
import { degraded } from './rules/degraded.ts';
import { failback } from './rules/failback.ts';
import { failingVerdict, hardFailure } from './rules/hard-failure.ts';
import { rampStep } from './rules/ramp.ts';
import { isActiveNan, latencyVerdict, situationOf, type Situation } from './rules/situation.ts';
import { trialRamp } from './rules/trial-ramp.ts';
import { newStatus } from './status-codec.ts';
import type { UnusableReason } from './metrics.ts';
import type { Explain, FailoverInput, FailoverOutput, FailoverStatus, RuleId, Verdict } from './types.ts';

type Rule = (situation: Situation) => Answer | undefined;

/** Rule 6a: only rule 2 acts. */
const frozen: Rule = ({ status, now }) =>
  status.frozen !== null && status.frozen.until > now ? stay(status, 'frozen', status.frozen.reason) : undefined;

/** Rules 4, 4b and 5 keep streaks: each is asked, and the first that has something to say is heard. */
function byLatency(situation: Situation): Answer {
  const answers = [degraded, trialRamp, failback].flatMap((rule) => rule(situation) ?? []);
  const { status, window } = situation;
  const first = answers.find(({ decision }) => decision.kind !== 'stay') ?? answers[0];
  if (first === undefined) return stay(status, window === null ? 'low-traffic' : 'healthy', 'nothing-to-do');
  if (first.decision.kind !== 'stay') return first;
  const streaks = answers.reduce(
    (sum, answer) => ({
      degraded: Math.max(sum.degraded, answer.streaks.degraded),
      trial: Math.max(sum.trial, answer.streaks.trial),
      recovered: Math.max(sum.recovered, answer.streaks.recovered),
    }),
    NO_STREAKS,
  );
  return { ...first, events: answers.flatMap(({ events }) => events), streaks };
}

/** A soft pin is left by rule 2 alone, and is spent by that. */
function withPinLeft(answer: Answer, pinned: FollowedPin, { pin }: FailoverInput): Answer {
  if (pinned.holds !== 'soft' || pin === null || answer.decision.kind !== 'swap') return answer;
  return { ...answer, status: { ...answer.status, pin: { ...answer.status.pin, overriddenId: pin.id } } };
}

/** Rules in order: the first that answers wins (failover.md §5.3). */
function judge(situation: Situation, pinned: FollowedPin): Answer {
  const { status, input } = situation;
  if (pinned.swapped) return { ...stay(status, 'pinned', 'swapped'), decision: manual(status) };
  if (pinned.holds === 'hard') return stay(status, 'pinned', 'hard');
  const broken = hardFailure(situation);
  if (broken !== undefined) return withPinLeft(broken, pinned, input);
  if (pinned.holds === 'soft') return stay(status, 'pinned', 'soft');
  return frozen(situation) ?? rampStep(situation) ?? byLatency(situation);
}

const manual = ({ activeProvider }: FailoverStatus): Answer['decision'] => ({
  kind: 'swap',
  rule: 'pinned',
  to: activeProvider,
  reason: 'manual',
});

/** Rule 1, and rule 0 before it: never a swap but a manual one. */
function unusable(input: FailoverInput, pinned: FollowedPin, why: UnusableReason | 'now'): FailoverOutput {
  const { next, swapped, holds, events } = pinned;
  const rule: RuleId = swapped || holds === 'hard' ? 'pinned' : 'metrics-unusable';
  const latched = swapped || input.memory.latched === null ? null : { ...input.memory.latched, fastTicks: 0 };
  const waits = rule === 'pinned' ? 'hard' : why;
  return {
    verdict: { kind: 'unavailable', why },
    decision: swapped ? manual(next) : { kind: 'stay', rule, why: waits },
    next,
    memory: { ...NO_STREAKS, latched },
    events,
    explain: {
      rule,
      limitMs: input.config.latency.thresholdMs,
      baseMs: latched?.baseMs ?? null,
      window: null,
      minSamples: input.config.latency.minSamples ?? 0,
      candidates: [],
    },
  };
}

function explain(situation: Situation, { decision }: Answer): Explain {
  const { limitMs, baseMs, window, minSamples } = situation;
  const rule = decision.kind === 'ramp-abort' ? 'ramp' : decision.rule;
  return { rule, limitMs, baseMs, window, minSamples, candidates: candidatesOf(situation) };
}

function usable(input: FailoverInput, pinned: FollowedPin, metrics: FreshMetrics): FailoverOutput {
  const situation = situationOf(input, pinned.next, metrics);
  if (isActiveNan(situation)) return unusable(input, pinned, 'active-nan');
  const answer = judge(situation, pinned);
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

/** Whole ms, so that what is written and read back is what was decided. */
function normalised(input: FailoverInput): FailoverInput {
  const now = Math.floor(input.now);
  const { persisted, config } = input;
  return { ...input, now, persisted: persisted === null ? null : clampStatus(persisted, now, config.dwell.maxMs) };
}

const isTime = (now: number): boolean => now >= 0 && now <= MAX_TIME;

/**
 * Which provider is the active one from now on (failover.md §5): total, no I/O, no clock. Times in ms since epoch, latencies
 * in ms. A swap counts when `next` was written; until then neither its Event nor its memory holds.
 */
export function decide(input: FailoverInput): FailoverOutput {
  const { config, persisted, metrics } = input;
  if (!isTime(input.now)) {
    const next = persisted ?? newStatus(input.resolved[0] ?? config.primary, 0);
    return unusable(input, { holds: 'none', swapped: false, next, events: [] }, 'now');
  }
  const at = normalised(input);
  const pinned = followPin({ ...at, hasSwapConfig: true });
  if (metrics.state === 'unusable') return unusable(at, pinned, metrics.why);
  if (!Number.isFinite(metrics.ageMs)) return unusable(at, pinned, 'stale');
  return usable(at, pinned, cleanMetrics(metrics));
}
