import { expect } from 'chai';
import { judgeTiers, type Tier } from '../../../../core/reputation/criteria.ts';
import { scoreReputation, type Score } from '../../../../core/reputation/formula.ts';
import type { ReputationInput } from '../../../../core/reputation/input.ts';
import { R06 } from '../../../support/reputation-input.ts';

const GOOD = scoreReputation({ ...R06 });
const scored = (some: Partial<Score>): Score => ({ ...GOOD, ...some });
const runs = (some: Partial<Score['runs']>): Score => scored({ runs: { ...GOOD.runs, ...some } });
const rates = (some: Partial<Score['wilson']>): Score => scored({ wilson: { ...GOOD.wilson, ...some } });
const meta = (some: Partial<ReputationInput['meta']>): ReputationInput => ({ ...R06, meta: { ...R06.meta, ...some } });
const tests = (some: Partial<NonNullable<ReputationInput['tests']>>): ReputationInput => ({
  ...R06,
  tests: R06.tests === null ? null : { ...R06.tests, ...some },
});

/** The table of trust.md §5.4. */
const REQUIRED: readonly (readonly [tier: Tier, id: string, required: number | boolean | string])[] = [
  ['bronze', 'SCORE_GE_40', 40],
  ['bronze', 'TESTS_REQUIRED_PASS', true],
  ['bronze', 'NAMESPACE_VERIFIED', true],
  ['bronze', 'NO_ACTIVE_CAP', true],
  ['bronze', 'RELIABILITY_GE_0_80', 0.8],
  ['silver', 'SCORE_GE_70', 70],
  ['silver', 'RUNS_EFFECTIVE_GE_100', 100],
  ['silver', 'RELIABILITY_GE_0_95', 0.95],
  ['silver', 'CALLERS_GE_5', 5],
  ['silver', 'AGE_DAYS_GE_14', 14],
  ['silver', 'NO_OPEN_MAJOR_INCIDENT', true],
  ['silver', 'NAMESPACE_NOT_SUSPENDED_90D', true],
  ['gold', 'SCORE_GE_85', 85],
  ['gold', 'RUNS_EFFECTIVE_GE_500', 500],
  ['gold', 'RELIABILITY_GE_0_98', 0.98],
  ['gold', 'LATENCY_GE_0_90', 0.9],
  ['gold', 'CALLERS_GE_20', 20],
  ['gold', 'AGE_DAYS_GE_45', 45],
  ['gold', 'TESTS_NOT_SELF_REPORTED', 'receipted'],
  ['gold', 'NO_HIGH_VIOLATION_90D', true],
  ['platinum', 'SCORE_GE_95', 95],
  ['platinum', 'RUNS_EFFECTIVE_GE_5000', 5000],
  ['platinum', 'RELIABILITY_GE_0_99', 0.99],
  ['platinum', 'CALLERS_GE_50', 50],
  ['platinum', 'AGE_DAYS_GE_180', 180],
  ['platinum', 'TESTS_INDEPENDENT', 'independent'],
  ['platinum', 'LOG_WITNESSED', true],
];

const violation = (severity: 'low' | 'medium' | 'high' | 'critical', age_days: number): ReputationInput => ({
  ...R06,
  violations: [
    { severity: 'low', age_days: 0 },
    { severity, age_days },
  ],
});

const incident = (impact: 'minor' | 'major' | 'critical', open: boolean): ReputationInput => ({
  ...R06,
  incidents: [
    { impact: 'minor', age_days: 0, open: true },
    { impact, age_days: 0, open },
  ],
});

describe('judgeTiers', () => {
  it('judges every criterion of trust.md §5.4, in its order', () => {
    const found = judgeTiers(R06, GOOD).criteria.map(({ tier, id, required }) => [tier, id, required]);
    expect(found).to.deep.equal(REQUIRED);
  });

  const limits: readonly (readonly [id: string, isMet: boolean, input: ReputationInput, score: Score])[] = [
    ...([40, 70, 85, 95] as const).flatMap(
      (score) =>
        [
          [`SCORE_GE_${score}`, true, R06, scored({ scoreBp: score * 100 })],
          [`SCORE_GE_${score}`, false, R06, scored({ scoreBp: score * 100 - 1 })],
        ] as const,
    ),
    ...([100, 500, 5000] as const).flatMap(
      (n) =>
        [
          [`RUNS_EFFECTIVE_GE_${n}`, true, R06, runs({ n })],
          [`RUNS_EFFECTIVE_GE_${n}`, false, R06, runs({ n: n - 0.01 })],
        ] as const,
    ),
    ...([5, 20, 50] as const).flatMap(
      (callers) =>
        [
          [`CALLERS_GE_${callers}`, true, R06, runs({ callers })],
          [`CALLERS_GE_${callers}`, false, R06, runs({ callers: callers - 1 })],
        ] as const,
    ),
    ...([14, 45, 180] as const).flatMap(
      (days) =>
        [
          [`AGE_DAYS_GE_${days}`, true, meta({ age_days: days }), GOOD],
          [`AGE_DAYS_GE_${days}`, false, meta({ age_days: days - 1 }), GOOD],
        ] as const,
    ),
    ...([0.95, 0.98, 0.99] as const).flatMap(
      (reliability) =>
        [
          [`RELIABILITY_GE_0_${reliability * 100}`, true, R06, rates({ reliability })],
          [`RELIABILITY_GE_0_${reliability * 100}`, false, R06, rates({ reliability: reliability - 0.0001 })],
        ] as const,
    ),
    ['LATENCY_GE_0_90', true, R06, rates({ latency: 0.9 })],
    ['LATENCY_GE_0_90', false, R06, rates({ latency: 0.8999 })],
    ['RELIABILITY_GE_0_80', true, R06, rates({ reliability: 0.8 })],
    ['RELIABILITY_GE_0_80', false, R06, rates({ reliability: 0.7999 })],
    ['RELIABILITY_GE_0_80', true, R06, { ...rates({ reliability: 0 }), runs: { ...GOOD.runs, n: 19.9 } }],
    ['RELIABILITY_GE_0_80', false, R06, { ...rates({ reliability: 0 }), runs: { ...GOOD.runs, n: 20 } }],
    ['TESTS_REQUIRED_PASS', true, R06, GOOD],
    ['TESTS_REQUIRED_PASS', false, { ...R06, tests: null }, GOOD],
    ['NAMESPACE_VERIFIED', true, R06, GOOD],
    ['NAMESPACE_VERIFIED', false, meta({ namespace_verified: false }), GOOD],
    ['NO_ACTIVE_CAP', true, R06, scored({ caps: [] })],
    ['NO_ACTIVE_CAP', false, R06, scored({ caps: [{ id: 'suspended', limit: 0 }] })],
    ['NO_OPEN_MAJOR_INCIDENT', true, incident('minor', true), GOOD],
    ['NO_OPEN_MAJOR_INCIDENT', true, incident('critical', false), GOOD],
    ['NO_OPEN_MAJOR_INCIDENT', false, incident('major', true), GOOD],
    ['NO_OPEN_MAJOR_INCIDENT', false, incident('critical', true), GOOD],
    ['NAMESPACE_NOT_SUSPENDED_90D', true, meta({ namespace_suspension_age_days: 90 }), GOOD],
    ['NAMESPACE_NOT_SUSPENDED_90D', false, meta({ namespace_suspension_age_days: 89 }), GOOD],
    ['NO_HIGH_VIOLATION_90D', true, violation('medium', 0), GOOD],
    ['NO_HIGH_VIOLATION_90D', true, violation('low', 0), GOOD],
    ['NO_HIGH_VIOLATION_90D', true, violation('critical', 91), GOOD],
    ['NO_HIGH_VIOLATION_90D', false, violation('high', 90), GOOD],
    ['NO_HIGH_VIOLATION_90D', false, violation('critical', 0), GOOD],
    ['TESTS_NOT_SELF_REPORTED', true, tests({ provenance: 'receipted' }), GOOD],
    ['TESTS_NOT_SELF_REPORTED', true, tests({ provenance: 'platform' }), GOOD],
    ['TESTS_NOT_SELF_REPORTED', true, tests({ provenance: 'independent' }), GOOD],
    ['TESTS_NOT_SELF_REPORTED', false, tests({ provenance: 'self_reported' }), GOOD],
    ['TESTS_NOT_SELF_REPORTED', false, { ...R06, tests: null }, GOOD],
    ['TESTS_INDEPENDENT', true, tests({ provenance: 'independent' }), GOOD],
    ['TESTS_INDEPENDENT', false, tests({ provenance: 'platform' }), GOOD],
    ['LOG_WITNESSED', true, meta({ log_witnessed: true }), GOOD],
    ['LOG_WITNESSED', true, meta({ log_witnessed: null }), GOOD],
    ['LOG_WITNESSED', false, meta({ log_witnessed: false }), GOOD],
  ];
  for (const [at, [id, isMet, input, score]] of limits.entries())
    it(`says that ${id} is ${isMet ? 'met' : 'not met'} at its limit (${at})`, () => {
      expect(judgeTiers(input, score).criteria.find((one) => one.id === id)?.met).to.equal(isMet);
    });

  it('gives the tier below the lowest one that lacks something, and what that one lacks', () => {
    const lacking = judgeTiers(meta({ age_days: 13 }), runs({ callers: 19 }));
    expect([lacking.tier, lacking.nextTier, lacking.missing.map(({ id }) => id)]).to.deep.equal([
      'bronze',
      'silver',
      ['AGE_DAYS_GE_14'],
    ]);
  });
});
