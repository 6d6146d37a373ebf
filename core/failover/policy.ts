import type { FollowedPin } from './follow-pin.ts';
import type { UnusableReason } from './metrics.ts';
import { NO_STREAKS, stay, type Answer } from './rules/answer.ts';
import { degraded } from './rules/degraded.ts';
import { failback } from './rules/failback.ts';
import { allDown, isBroken, replaceBroken, mustWait, successor } from './rules/hard-failure.ts';
import { rampStep } from './rules/ramp.ts';
import type { Situation } from './rules/situation.ts';
import { trialRamp } from './rules/trial-ramp.ts';
import type { Decision, FailoverInput, FailoverStatus, Ramp, RuleId } from './types.ts';

/** Input of the policy: one Orb at one moment, with its pin already followed. */
export interface PolicyInput {
  readonly input: FailoverInput;
  readonly pinned: FollowedPin;
  readonly metrics:
    | { readonly kind: 'usable'; readonly situation: Situation }
    | { readonly kind: 'unusable'; readonly why: UnusableReason | 'now' };
}

/** One row of the policy: its rule, and its answer when its condition holds. */
interface Row {
  readonly rule: RuleId;
  /** @returns undefined when the condition does not hold */
  readonly answer: (moment: PolicyInput) => Answer | undefined;
}

/** @param when the condition: returns data for the answer, or undefined when it does not hold */
const row = <Found>(
  rule: RuleId,
  when: (moment: PolicyInput) => Found | undefined,
  then: (found: Found, moment: PolicyInput) => Answer,
): Row => ({
  rule,
  answer: (moment) => {
    const found = when(moment);
    return found === undefined ? undefined : then(found, moment);
  },
});

type Streaking = (situation: Situation) => Answer | undefined;

/** Rules that count a streak in every evaluation, whichever of them answers. */
const STREAKING: readonly Streaking[] = [degraded, trialRamp, failback];

const situationOf = ({ metrics }: PolicyInput): Situation | undefined =>
  metrics.kind === 'usable' ? metrics.situation : undefined;

/** The situation, if the condition holds in it. */
const when =
  (holds: (situation: Situation) => boolean) =>
  (moment: PolicyInput): Situation | undefined => {
    const situation = situationOf(moment);
    return situation !== undefined && holds(situation) ? situation : undefined;
  };

const pin =
  (holds: FollowedPin['holds']) =>
  ({ pinned }: PolicyInput): FailoverStatus | undefined =>
    pinned.holds === holds ? pinned.next : undefined;

const manual = (status: FailoverStatus): Decision => ({
  kind: 'swap',
  rule: 'pinned',
  to: status.activeProvider,
  reason: 'manual',
});

/** The provider that replaces a broken one; undefined when no provider may replace it now. */
function brokenAndSuccessor(moment: PolicyInput): { readonly situation: Situation; readonly to: string } | undefined {
  const situation = when(isBroken)(moment);
  const to = situation === undefined ? undefined : successor(situation);
  return situation === undefined || to === undefined || mustWait(situation) ? undefined : { situation, to };
}

/** Leaves a broken provider. This also ends a soft pin, which no other rule may override. */
function leave({ situation, to }: { readonly situation: Situation; readonly to: string }, moment: PolicyInput): Answer {
  const answer = replaceBroken(situation, to);
  const { pinned, input } = moment;
  if (pinned.holds !== 'soft' || input.pin === null) return answer;
  return { ...answer, status: { ...answer.status, pin: { ...answer.status.pin, overriddenId: input.pin.id } } };
}

const frozenReason = ({ status, now }: Situation): string | undefined =>
  status.frozen !== null && status.frozen.until > now ? status.frozen.reason : undefined;

function running(moment: PolicyInput): { readonly situation: Situation; readonly ramp: Ramp } | undefined {
  const situation = situationOf(moment);
  const ramp = situation?.status.ramp ?? null;
  return situation === undefined || ramp === null ? undefined : { situation, ramp };
}

const answered =
  (rule: Streaking, isActing: boolean) =>
  (moment: PolicyInput): Answer | undefined => {
    const situation = situationOf(moment);
    const answer = situation === undefined ? undefined : rule(situation);
    return answer !== undefined && (answer.decision.kind !== 'stay') === isActing ? answer : undefined;
  };
const acts = (rule: Streaking): ReturnType<typeof answered> => answered(rule, true);
const waits = (rule: Streaking): ReturnType<typeof answered> => answered(rule, false);

const unchanged = (answer: Answer): Answer => answer;

/** While all these rules wait, the answer keeps the streaks and Events of each of them. */
function withStreaks(answer: Answer, moment: PolicyInput): Answer {
  const situation = situationOf(moment);
  const all = STREAKING.flatMap((rule) => (situation === undefined ? [] : (rule(situation) ?? [])));
  const streaks = all.reduce(
    (sum, { streaks: own }) => ({
      degraded: Math.max(sum.degraded, own.degraded),
      trial: Math.max(sum.trial, own.trial),
      recovered: Math.max(sum.recovered, own.recovered),
    }),
    NO_STREAKS,
  );
  return { ...answer, events: all.flatMap(({ events }) => events), streaks };
}

/**
 * The policy of failover.md §5.3 in order of precedence: the first row whose condition holds answers. In any row, a
 * swap over the limit of an hour becomes a freeze (rule `flapping`).
 */
export const POLICY: readonly Row[] = [
  row(
    'pinned',
    ({ pinned }) => (pinned.swapped ? pinned.next : undefined),
    (status) => ({ ...stay(status, 'pinned', 'swapped'), decision: manual(status) }),
  ),
  row('pinned', pin('hard'), (status) => stay(status, 'pinned', 'hard')),
  row(
    'metrics-unusable',
    ({ metrics }) => (metrics.kind === 'unusable' ? metrics.why : undefined),
    (why, { pinned }) => stay(pinned.next, 'metrics-unusable', why),
  ),
  row('hard-failure', brokenAndSuccessor, leave),
  row(
    'all-down',
    when((situation) => isBroken(situation) && successor(situation) === undefined),
    allDown,
  ),
  row('frozen', when(isBroken), ({ status }) => stay(status, 'frozen', 'hard-failure-too-soon')),
  row('pinned', pin('soft'), (status) => stay(status, 'pinned', 'soft')),
  row(
    'frozen',
    when((situation) => frozenReason(situation) !== undefined),
    (situation) => stay(situation.status, 'frozen', frozenReason(situation) ?? ''),
  ),
  row('ramp', running, ({ situation, ramp }) => rampStep(situation, ramp)),
  row('degraded', acts(degraded), unchanged),
  row('trial-ramp', acts(trialRamp), unchanged),
  row('failback', acts(failback), unchanged),
  row('degraded', waits(degraded), withStreaks),
  row('trial-ramp', waits(trialRamp), withStreaks),
  row('failback', waits(failback), withStreaks),
  row(
    'low-traffic',
    when(({ window }) => window === null),
    ({ status }) => stay(status, 'low-traffic', 'nothing-to-do'),
  ),
  row(
    'healthy',
    when(() => true),
    ({ status }) => stay(status, 'healthy', 'nothing-to-do'),
  ),
];

/** The answer of the first row whose condition holds. With metrics the last row always holds, without them rule 1. */
export function judge(moment: PolicyInput): Answer {
  for (const { answer } of POLICY) {
    const found = answer(moment);
    if (found !== undefined) return found;
  }
  return stay(moment.pinned.next, 'healthy', 'nothing-to-do');
}
