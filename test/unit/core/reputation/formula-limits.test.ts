import { expect } from 'chai';
import { capsOf } from '../../../../core/reputation/caps.ts';
import { costNow, decay, penalty } from '../../../../core/reputation/decay.ts';
import { scoreReputation, testsAreCurrent } from '../../../../core/reputation/formula.ts';
import type { ReputationInput } from '../../../../core/reputation/input.ts';
import { R06, runsOf } from '../../../support/reputation-input.ts';

const COLD: ReputationInput = { ...R06, groups: [] };
const perfect = (callers: number, each: number): ReputationInput => ({
  ...COLD,
  groups: runsOf(callers, { runs: each, success: each, within_slo: each }),
});

const runsOfVersion = (version: 'same' | 'same_major' | 'other'): number =>
  scoreReputation({ ...COLD, groups: perfect(10, 10).groups.map((group) => ({ ...group, version })) }).runs.n;

const CURRENT = { required: 3, passed: 3, age_days: 90, digest_match: true, provenance: 'receipted' };
const testPartOf = (some: object): number => scoreReputation({ ...COLD, tests: { ...CURRENT, ...some } }).parts.tests;

describe('caps (trust.md §5.3)', () => {
  const rows: readonly (readonly [why: string, some: Partial<ReputationInput>, areCurrent: boolean, caps: object[]])[] =
    [
      ['nothing', {}, true, []],
      ['tests that are not current', {}, false, [{ id: 'tests_not_current', limit: 0.39 }]],
      [
        'an open critical incident',
        { incidents: [{ impact: 'critical', age_days: 400, open: true }] },
        true,
        [{ id: 'open_critical_incident', limit: 0.3 }],
      ],
      ['a critical incident that is over', { incidents: [{ impact: 'critical', age_days: 0, open: false }] }, true, []],
      ['an open major incident', { incidents: [{ impact: 'major', age_days: 0, open: true }] }, true, []],
      [
        'a critical violation 30 days ago',
        { violations: [{ severity: 'critical', age_days: 30 }] },
        true,
        [{ id: 'critical_violation_30d', limit: 0.3 }],
      ],
      ['a critical violation 31 days ago', { violations: [{ severity: 'critical', age_days: 31 }] }, true, []],
      ['a high violation today', { violations: [{ severity: 'high', age_days: 0 }] }, true, []],
      [
        'an invalid receipt this week',
        { receipts: { total: 1, invalid: 1, invalid_7d: 1 } },
        true,
        [{ id: 'invalid_receipt_7d', limit: 0.2 }],
      ],
      ['an invalid receipt before', { receipts: { total: 1, invalid: 1, invalid_7d: 0 } }, true, []],
      ['a suspension', { suspended: true }, true, [{ id: 'suspended', limit: 0 }]],
    ];
  for (const [why, some, areCurrent, caps] of rows)
    it(`of ${why}: ${caps.length}`, () => expect(capsOf({ ...R06, ...some }, areCurrent)).to.deep.equal(caps));
});

describe('how sure a score is', () => {
  for (const [callers, each, confidence] of [
    [1, 19, 'provisional'],
    [1, 20, 'low'],
    [9, 11, 'low'],
    [10, 10, 'medium'],
    [499, 1, 'medium'],
    [500, 1, 'high'],
  ] as const)
    it(`is ${confidence} by ${callers * each} runs`, () => {
      expect(scoreReputation(perfect(callers, each)).confidence).to.equal(confidence);
    });
});

describe('a test report', () => {
  it('counts for 90 days, for its own version, when all that it requires passed', () => {
    expect(testsAreCurrent(CURRENT)).to.equal(true);
    expect(testsAreCurrent(null)).to.equal(false);
    for (const some of [{ age_days: 91 }, { digest_match: false }, { required: 0, passed: 0 }, { passed: 2 }])
      expect(testsAreCurrent({ ...CURRENT, ...some }), JSON.stringify(some)).to.equal(false);
  });

  it('gives its share, half of it when only the publisher says so', () => {
    expect([testPartOf({}), testPartOf({ passed: 1, required: 4 }), testPartOf({ age_days: 91 })]).to.deep.equal([
      1, 0.25, 0,
    ]);
    expect([testPartOf({ provenance: 'self_reported' }), testPartOf({ provenance: 'unheard-of' })]).to.deep.equal([
      0.5, 0.5,
    ]);
    expect([testPartOf({ provenance: 'platform' }), testPartOf({ provenance: 'independent' })]).to.deep.equal([1, 1]);
  });
});

describe('what lowers a score', () => {
  it('is half of its weight after each half-life', () => {
    expect([decay(0, 30), decay(30, 30), decay(60, 30)]).to.deep.equal([1, 0.5, 0.25]);
    expect([costNow(0.4, 0), costNow(0.4, 90), costNow(0.4, 180)]).to.deep.equal([0.4, 0.2, 0.1]);
  });

  it('is added up, and takes no more than everything', () => {
    expect(penalty([])).to.equal(1);
    expect(
      penalty([
        [0.25, 0],
        [0.5, 90],
      ]),
    ).to.equal(0.5);
    expect(
      penalty([
        [0.75, 0],
        [0.75, 0],
      ]),
    ).to.equal(0);
  });

  it('is what each severity and impact weighs', () => {
    const violations = (['low', 'medium', 'high', 'critical'] as const).map(
      (severity) => scoreReputation({ ...COLD, violations: [{ severity, age_days: 0 }] }).factors.violations,
    );
    expect(violations).to.deep.equal([0.95, 0.85, 0.6, 0]);
    const incidents = (['minor', 'major', 'critical'] as const).map(
      (impact) => scoreReputation({ ...COLD, incidents: [{ impact, age_days: 0, open: true }] }).factors.incidents,
    );
    expect(incidents).to.deep.equal([0.9, 0.7, 0.4]);
    const receipts = (
      [
        [0, 0],
        [1000, 0],
        [1000, 5],
        [1000, 10],
        [10, 10],
      ] as const
    ).map(
      ([total, invalid]) => scoreReputation({ ...COLD, receipts: { total, invalid, invalid_7d: 0 } }).factors.receipts,
    );
    expect(receipts).to.deep.equal([1, 1, 0.5, 0, 0]);
  });
});

describe('runs of other versions', () => {
  it('count half within the line, and nothing outside it', () => {
    expect([runsOfVersion('same'), runsOfVersion('same_major'), runsOfVersion('other')]).to.deep.equal([100, 50, 0]);
  });
});

describe('the runs of one caller', () => {
  it('count for no more than 20 runs, or a twentieth of all', () => {
    expect(scoreReputation(perfect(1, 20)).runs.n).to.equal(20);
    expect(scoreReputation(perfect(1, 400)).runs.n).to.equal(20);
    expect(scoreReputation(perfect(1, 1000)).runs.n).to.equal(50);
  });

  it('lower a rate by no more than 5 failures, or a hundredth of all', () => {
    const failing = (runs: number): ReputationInput => ({
      ...COLD,
      groups: [
        ...runsOf(1, { runs, success: 0, within_slo: 0 }).map((group) => ({ ...group, caller: 'ct_bad' })),
        ...runsOf(40, { runs: 20, success: 20, within_slo: 20 }),
      ],
    });
    const { n, s } = scoreReputation(failing(20)).runs;
    expect(s).to.equal(800);
    expect(n - s).to.be.closeTo(8.2, 1e-9);
    expect(scoreReputation({ ...COLD, groups: runsOf(1, { runs: 20, success: 0, within_slo: 0 }) }).runs.n).to.equal(5);
  });
});
