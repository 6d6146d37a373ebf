import { TIERS } from '../log-entry/entry-members.ts';
import type { Score } from './formula.ts';
import { testsAreCurrent } from './formula.ts';
import type { ReputationInput } from './input.ts';

/** A certification tier. */
export type Tier = (typeof TIERS)[number];

/** A tier that needs something. */
export type EarnedTier = Exclude<Tier, 'uncertified'>;

/** The tiers that an Orb can earn, the lowest first. */
export const EARNED_TIERS = ['bronze', 'silver', 'gold', 'platinum'] as const satisfies readonly EarnedTier[];

/** A criterion of a tier, and whether it holds. */
export interface Criterion {
  /** Stable code. */
  readonly id: string;
  readonly tier: EarnedTier;
  readonly met: boolean;
  /** What the tier asks for, in the unit of `actual`. */
  readonly required: number | boolean | string;
  readonly actual: number | boolean | string | null;
}

interface Evidence {
  readonly input: ReputationInput;
  readonly score: Score;
}

type Rule = (evidence: Evidence) => Omit<Criterion, 'tier'>;

const atLeast =
  (id: string, required: number, actualOf: (evidence: Evidence) => number): Rule =>
  (evidence) => {
    const actual = actualOf(evidence);
    return { id, met: actual >= required, required, actual };
  };

const holds =
  (id: string, test: (evidence: Evidence) => boolean): Rule =>
  (evidence) => {
    const actual = test(evidence);
    return { id, met: actual, required: true, actual };
  };

const scoreAtLeast = (score: number): Rule => atLeast(`SCORE_GE_${score}`, score, (e) => e.score.scoreBp / 100);
const runsAtLeast = (runs: number): Rule => atLeast(`RUNS_EFFECTIVE_GE_${runs}`, runs, (e) => e.score.runs.n);
const callersAtLeast = (callers: number): Rule =>
  atLeast(`CALLERS_GE_${callers}`, callers, (e) => e.score.runs.callers);
const olderThan = (days: number): Rule => atLeast(`AGE_DAYS_GE_${days}`, days, (e) => e.input.meta.age_days);

const reliabilityAtLeast = (id: string, rate: number): Rule => atLeast(id, rate, (e) => e.score.wilson.reliability);

/** Fewer runs than this prove nothing about reliability, so bronze does not ask for it. */
const RUNS_FOR_A_RATE = 20;

const bronzeReliability: Rule = ({ score }) => {
  const { reliability } = score.wilson;
  return {
    id: 'RELIABILITY_GE_0_80',
    met: score.runs.n < RUNS_FOR_A_RATE || reliability >= 0.8,
    required: 0.8,
    actual: reliability,
  };
};

const provenanceIs =
  (id: string, accepted: readonly string[]): Rule =>
  ({ input }) => {
    const actual = input.tests?.provenance ?? null;
    const met = actual !== null && accepted.includes(actual);
    return { id, met, required: accepted[0] ?? '', actual };
  };

const noOpenMajorIncident = holds('NO_OPEN_MAJOR_INCIDENT', ({ input }) =>
  input.incidents.every(({ impact, open }) => !open || impact === 'minor'),
);

const noHighViolation = holds('NO_HIGH_VIOLATION_90D', ({ input }) =>
  input.violations.every(({ severity, age_days: age }) => age > 90 || severity === 'low' || severity === 'medium'),
);

const notSuspendedLately = holds('NAMESPACE_NOT_SUSPENDED_90D', ({ input }) => {
  const age = input.meta.namespace_suspension_age_days;
  return age === null || age >= 90;
});

/** What each tier asks for beyond the tier below, in the order of trust.md §5.4. */
const RULES: Readonly<Record<EarnedTier, readonly Rule[]>> = {
  bronze: [
    scoreAtLeast(40),
    holds('TESTS_REQUIRED_PASS', ({ input }) => testsAreCurrent(input.tests)),
    holds('NAMESPACE_VERIFIED', ({ input }) => input.meta.namespace_verified),
    holds('NO_ACTIVE_CAP', ({ score }) => score.caps.length === 0),
    bronzeReliability,
  ],
  silver: [
    scoreAtLeast(70),
    runsAtLeast(100),
    reliabilityAtLeast('RELIABILITY_GE_0_95', 0.95),
    callersAtLeast(5),
    olderThan(14),
    noOpenMajorIncident,
    notSuspendedLately,
  ],
  gold: [
    scoreAtLeast(85),
    runsAtLeast(500),
    reliabilityAtLeast('RELIABILITY_GE_0_98', 0.98),
    atLeast('LATENCY_GE_0_90', 0.9, (e) => e.score.wilson.latency),
    callersAtLeast(20),
    olderThan(45),
    provenanceIs('TESTS_NOT_SELF_REPORTED', ['receipted', 'platform', 'independent']),
    noHighViolation,
  ],
  platinum: [
    scoreAtLeast(95),
    runsAtLeast(5000),
    reliabilityAtLeast('RELIABILITY_GE_0_99', 0.99),
    callersAtLeast(50),
    olderThan(180),
    provenanceIs('TESTS_INDEPENDENT', ['independent']),
    holds('LOG_WITNESSED', ({ input }) => input.meta.log_witnessed !== false),
  ],
};

/** Criteria of all tiers, and what follows from them. */
export interface TierJudgement {
  readonly criteria: readonly Criterion[];
  /** Highest tier whose criteria hold, and those of all lower tiers. */
  readonly tier: Tier;
  /** Lowest tier that does not hold; null at platinum. */
  readonly nextTier: EarnedTier | null;
  /** Criteria of `nextTier` that do not hold. */
  readonly missing: readonly Criterion[];
}

/** Judges every criterion (trust.md §5.4), without the delays of a held tier. */
export function judgeTiers(input: ReputationInput, score: Score): TierJudgement {
  const evidence = { input, score };
  const criteria = EARNED_TIERS.flatMap((tier) => RULES[tier].map((rule) => ({ ...rule(evidence), tier })));
  const unmet = criteria.filter(({ met }) => !met);
  const nextTier = EARNED_TIERS.find((tier) => unmet.some((criterion) => criterion.tier === tier)) ?? null;
  const below = nextTier === null ? EARNED_TIERS.length : EARNED_TIERS.indexOf(nextTier);
  return {
    criteria,
    tier: TIERS[below] ?? 'uncertified',
    nextTier,
    missing: unmet.filter(({ tier }) => tier === nextTier),
  };
}
