import { expect } from 'chai';
import fc from 'fast-check';
import type { CheckId, CheckResult, RiskLevel, Severity } from '../../../../core/receipt/record.ts';
import { CHECK_ORDER, CHECK_WEIGHTS } from '../../../../core/receipt/record.ts';
import { scoreOf, type ScoreInput } from '../../../../core/trust/score.ts';

type Checks = ScoreInput['checks'];

const PASS: Checks = {
  manifest: 'pass',
  caller_auth: 'pass',
  policy: 'pass',
  input_schema: 'pass',
  output_schema: 'pass',
  isolation: 'pass',
  slo: 'pass',
  standing: 'pass',
};
const LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical'];
const rank = (level: RiskLevel): number => LEVELS.indexOf(level);

const result = fc.constantFrom<CheckResult>('pass', 'fail', 'unknown', 'not_applicable');
const severity = fc.constantFrom<Severity>('low', 'medium', 'high', 'critical');
const anyInput: fc.Arbitrary<ScoreInput> = fc.record({
  checks: fc.record({
    manifest: result,
    caller_auth: result,
    policy: result,
    input_schema: result,
    output_schema: result,
    isolation: result,
    slo: result,
    standing: result,
  }),
  violations: fc.array(severity, { maxLength: 3 }),
  irreversible: fc.boolean(),
});
const anyCheck = fc.constantFrom<CheckId>(...CHECK_ORDER);

describe('scoreOf', () => {
  // The examples of trust.md §4.
  const rows: readonly (readonly [why: string, input: Partial<ScoreInput>, score: number, level: RiskLevel])[] = [
    ['all pass', {}, 100, 'low'],
    ['SLO missed', { checks: { ...PASS, slo: 'fail' } }, 95, 'low'],
    ['uncertified and SLO missed', { checks: { ...PASS, slo: 'fail', standing: 'fail' } }, 85, 'low'],
    ['output invalid and SLO missed', { checks: { ...PASS, output_schema: 'fail', slo: 'fail' } }, 80, 'medium'],
    [
      'the same, irreversible',
      { checks: { ...PASS, output_schema: 'fail', slo: 'fail' }, irreversible: true },
      80,
      'high',
    ],
    [
      'timeout, uncertified',
      { checks: { ...PASS, output_schema: 'fail', slo: 'fail', standing: 'fail' } },
      70,
      'medium',
    ],
    ['policy unknown', { checks: { ...PASS, policy: 'unknown' } }, 80, 'medium'],
    ['anonymous by design', { checks: { ...PASS, caller_auth: 'not_applicable' } }, 100, 'low'],
    [
      'denied with a high violation',
      {
        checks: { ...PASS, policy: 'fail', output_schema: 'not_applicable', slo: 'not_applicable' },
        violations: ['high'],
      },
      29,
      'critical',
    ],
    ['manifest differs', { checks: { ...PASS, manifest: 'fail' } }, 0, 'critical'],
    ['caller_auth fails', { checks: { ...PASS, caller_auth: 'fail' } }, 59, 'high'],
    ['all pass, medium violation', { violations: ['medium'] }, 100, 'medium'],
    ['irreversible stays critical', { checks: { ...PASS, manifest: 'fail' }, irreversible: true }, 0, 'critical'],
  ];
  for (const [why, input, score, level] of rows) {
    it(`gives ${score} ${level}: ${why}`, () => {
      const scored = scoreOf({ checks: PASS, violations: [], irreversible: false, ...input });
      expect(scored).to.deep.equal({ trust_score: score, risk_level: level });
    });
  }

  it('gives 0 critical when no check applies: nothing was shown', () => {
    const checks: Checks = { ...PASS };
    const none = Object.fromEntries(Object.keys(checks).map((id) => [id, 'not_applicable' as const]));
    const scored = scoreOf({ checks: { ...checks, ...none }, violations: [], irreversible: false });
    expect(scored).to.deep.equal({ trust_score: 0, risk_level: 'critical' });
  });

  it('is an integer from 0 to 100 with a level that fits, for any input', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { trust_score: score, risk_level: level } = scoreOf(input);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).to.equal(true);
        const least = LEVELS[[85, 60, 30, 0].findIndex((bound) => score >= bound)] ?? 'critical';
        expect(rank(level)).to.be.at.least(rank(least));
      }),
    );
  });

  const caps: readonly (readonly [id: CheckId, most: number])[] = [
    ['manifest', 0],
    ['policy', 29],
    ['isolation', 29],
    ['caller_auth', 59],
  ];
  for (const [id, most] of caps) {
    it(`is at most ${most} when ${id} fails, whatever else passes`, () => {
      fc.assert(
        fc.property(anyInput, (input) => {
          const { trust_score: score } = scoreOf({ ...input, checks: { ...input.checks, [id]: 'fail' } });
          expect(score).to.be.at.most(most);
        }),
      );
    });
  }

  it('never rises, and the risk never falls, when a passed check fails', () => {
    fc.assert(
      fc.property(anyInput, anyCheck, fc.constantFrom<CheckResult>('fail', 'unknown'), (input, id, worse) => {
        const before = scoreOf({ ...input, checks: { ...input.checks, [id]: 'pass' } });
        const after = scoreOf({ ...input, checks: { ...input.checks, [id]: worse } });
        expect(after.trust_score).to.be.at.most(before.trust_score);
        expect(rank(after.risk_level)).to.be.at.least(rank(before.risk_level));
      }),
    );
  });

  it('keeps its score and never lowers the risk for one more violation, or for an irreversible Orb', () => {
    fc.assert(
      fc.property(anyInput, severity, (input, violation) => {
        const before = scoreOf({ ...input, irreversible: false });
        const violated = scoreOf({ ...input, irreversible: false, violations: [...input.violations, violation] });
        const irreversible = scoreOf({ ...input, irreversible: true });
        expect([violated.trust_score, irreversible.trust_score]).to.deep.equal([
          before.trust_score,
          before.trust_score,
        ]);
        expect(rank(violated.risk_level)).to.be.at.least(Math.max(rank(before.risk_level), rank(violation)));
        expect(rank(irreversible.risk_level)).to.be.at.least(rank(before.risk_level));
      }),
    );
  });

  it('depends neither on the order nor on the number of equal violations', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const twice = [...input.violations.toReversed(), ...input.violations];
        expect(scoreOf({ ...input, violations: twice })).to.deep.equal(scoreOf(input));
      }),
    );
  });

  it('has weights that sum to 100', () => {
    expect(CHECK_ORDER.reduce((total, id) => total + CHECK_WEIGHTS[id], 0)).to.equal(100);
  });
});
