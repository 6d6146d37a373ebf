import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { MAX_SET_UNITS } from '../../../../../core/policy/decision/cost-budget.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { validatePolicy, type PolicyValidation } from '../../../../../core/policy/simulation/validate-policy.ts';
import { aRule, STARTED_AT } from '../../../../support/policies.ts';

const validated = (spec: OrbPolicySpec, otherUnits = 0): PolicyValidation =>
  validatePolicy(
    { namespace: 'acme', name: 'limits', spec },
    otherUnits === 0 ? [] : [{ costUnits: { PreFlight: otherUnits } }],
    STARTED_AT,
    CEL_ENGINE,
  );

const shown = ({ valid, findings }: PolicyValidation): unknown => [
  valid,
  findings.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`),
];

const SCORE = aRule('deny', 'orb.score < 70');

describe('validatePolicy', () => {
  const rows: readonly [why: string, spec: OrbPolicySpec, expected: unknown][] = [
    ['an empty policy', {}, [true, []]],
    ['a rule', { rules: [SCORE] }, [true, []]],
    [
      'an unknown fact',
      { rules: [aRule('deny', 'orb.scores < 70')] },
      [false, ['error unknown-fact /spec/rules/0/when']],
    ],
    [
      'a fact that may be absent',
      { rules: [aRule('deny', 'orb.age_days < 7')] },
      [true, ['warning needs-has /spec/rules/0/when']],
    ],
    [
      'a test that fails',
      { rules: [SCORE], tests: [{ name: 'low', input: { orb: { score: 80 } }, expect: { decision: 'deny' } }] },
      [false, ['error test-failed /spec/tests/0']],
    ],
    [
      'a test with an unknown fact',
      { rules: [SCORE], tests: [{ name: 'low', input: { orb: { scores: 8 } }, expect: { decision: 'deny' } }] },
      [false, ['error unknown-fact /spec/tests/0/input/orb/scores', 'error test-failed /spec/tests/0']],
    ],
  ];
  for (const [why, spec, expected] of rows)
    it(`${why}: ${JSON.stringify(expected)}`, () => {
      expect(shown(validated(spec))).to.deep.equal(expected);
    });

  it('counts the units of all policies of the tenant, in the phases of this one', () => {
    const { compiled, budgetAfter } = validated({ rules: [SCORE] }, 1000);
    const own = compiled?.costUnits['PreFlight'] ?? 0;
    expect(own).to.be.greaterThan(0);
    expect(budgetAfter).to.deep.equal({ PreFlight: { used: 1000 + own, max: MAX_SET_UNITS } });
  });

  it('refuses a policy beyond the budget, and does not run its tests', () => {
    const spec = { rules: [SCORE], tests: [{ name: 'low', expect: { decision: 'deny' as const } }] };
    const over = validated(spec, MAX_SET_UNITS);
    expect([shown(over), over.tests]).to.deep.equal([[false, ['error too-expensive /spec']], []]);
  });
});
