import { expect } from 'chai';
import { judgeTiers } from '../../../../core/reputation/criteria.ts';
import { scoreReputation, wilsonLowerBound } from '../../../../core/reputation/formula.ts';
import type { ReputationInput } from '../../../../core/reputation/input.ts';
import { R06, runsOf } from '../../../support/reputation-input.ts';

const COLD: ReputationInput = { ...R06, groups: [], meta: { ...R06.meta, age_days: 0 } };
const good = (runs: number): { readonly runs: number; readonly success: number; readonly within_slo: number } => ({
  runs,
  success: runs,
  within_slo: runs,
});
const tests = (some: Partial<NonNullable<ReputationInput['tests']>>): ReputationInput['tests'] =>
  R06.tests === null ? null : { ...R06.tests, ...some };

describe('scoreReputation', () => {
  // The table of trust.md §5.4.
  const rows: readonly (readonly [why: string, input: ReputationInput, bp: number, tier: string, n?: number])[] = [
    ['a cold start with tests', COLD, 4000, 'bronze', 0],
    ['a cold start, self-reported', { ...COLD, tests: tests({ provenance: 'self_reported' }) }, 2000, 'uncertified', 0],
    ['10 of 10, one caller', { ...COLD, groups: runsOf(1, good(10)) }, 4000, 'bronze', 10],
    [
      '100 of 100, 10 callers, 20 days',
      { ...R06, groups: runsOf(10, good(10)), meta: { ...R06.meta, age_days: 20 } },
      9261,
      'silver',
      100,
    ],
    ['R06', R06, 9692, 'gold', 1000],
    ['R06 idle for 60 days', { ...R06, groups: R06.groups.map((g) => ({ ...g, age_days: 60 })) }, 9284, 'silver', 250],
    ['1000 of 1000 from one caller', { ...R06, groups: runsOf(1, good(1000)) }, 8255, 'bronze', 50],
    [
      '10 000 own calls',
      { ...R06, groups: runsOf(1, good(10_000)).map((g) => ({ ...g, self: true })) },
      4000,
      'bronze',
      0,
    ],
    ['R06 and a high violation', { ...R06, violations: [{ severity: 'high', age_days: 0 }] }, 5815, 'bronze'],
    ['R06 and it was 90 days ago', { ...R06, violations: [{ severity: 'high', age_days: 90 }] }, 7754, 'silver'],
    [
      'R06 and an open critical incident',
      { ...R06, incidents: [{ impact: 'critical', age_days: 0, open: true }] },
      3000,
      'uncertified',
    ],
    ['R06 with tests that are 91 days old', { ...R06, tests: tests({ age_days: 91 }) }, 3900, 'uncertified'],
    [
      'R06 and one invalid receipt this week',
      { ...R06, receipts: { total: 1000, invalid: 1, invalid_7d: 1 } },
      2000,
      'uncertified',
    ],
    [
      'R06 carried to a new minor version',
      { ...R06, groups: R06.groups.map((g) => ({ ...g, version: 'same_major' as const })) },
      9580,
      'silver',
      500,
    ],
    [
      '10 020 perfect runs, 60 callers, 200 days, independent tests',
      {
        ...R06,
        groups: runsOf(60, good(167)),
        tests: tests({ provenance: 'independent' }),
        meta: { ...R06.meta, age_days: 200 },
      },
      10_000,
      'platinum',
      10_020,
    ],
    ['nothing', { ...COLD, tests: null }, 0, 'uncertified', 0],
  ];
  for (const [why, input, bp, tier, n] of rows) {
    it(`gives ${bp} and ${tier} for ${why}`, () => {
      const score = scoreReputation(input);
      expect([score.scoreBp, judgeTiers(input, score).tier]).to.deep.equal([bp, tier]);
      if (n !== undefined) expect(score.runs.n).to.be.closeTo(n, 1e-6);
    });
  }

  it('names every active cap in its order, and obeys the lowest', () => {
    const score = scoreReputation({
      ...R06,
      tests: null,
      violations: [{ severity: 'critical', age_days: 30 }],
      incidents: [{ impact: 'critical', age_days: 0, open: true }],
      receipts: { total: 10, invalid: 1, invalid_7d: 1 },
      suspended: true,
    });
    expect(score.caps.map(({ id }) => id)).to.deep.equal([
      'tests_not_current',
      'open_critical_incident',
      'critical_violation_30d',
      'invalid_receipt_7d',
      'suspended',
    ]);
    expect(score.scoreBp).to.equal(0);
  });
});

describe('wilsonLowerBound', () => {
  it('is 0 without runs', () => expect(wilsonLowerBound(0, 0)).to.equal(0));
  it('is 0.20654 for one good run', () => expect(wilsonLowerBound(1, 1)).to.be.closeTo(0.206543, 1e-6));
});
