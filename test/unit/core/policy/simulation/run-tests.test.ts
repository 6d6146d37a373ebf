import { expect } from 'chai';
import type { OrbPolicySpec, PolicyTest } from '../../../../../crds/orbpolicy.ts';
import { runPolicyTests, type PolicyTestReport } from '../../../../../core/policy/simulation/run-tests.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';

const SPEC: OrbPolicySpec = {
  match: { orbs: { ids: ['acme.mailer@*'] } },
  rollout: { percent: 0 },
  inputFacts: { recipient: 'string' },
  variables: [{ name: 'spent', expression: 'orbiset.orb_runs_today * 850' }],
  rules: [
    aRule('deny', 'variables.spent >= 100000000', { name: 'daily-cap' }),
    aRule('allow', 'has(inputs.recipient) && inputs.recipient.endsWith("@acme.example")', { name: 'own-people' }),
    aRule('require', 'orb.irreversible', { name: 'careful' }),
  ],
};

function report(test: Omit<PolicyTest, 'name'>): PolicyTestReport {
  const { definition, compiled } = aPolicy({ ...SPEC, tests: [{ name: 'test', ...test }] });
  return runPolicyTests(definition, compiled);
}

describe('the tests of a policy', () => {
  const rows: readonly (readonly [string, Omit<PolicyTest, 'name'>, string])[] = [
    [
      'passes when the rule denies, whomever the policy means',
      { input: { orbiset: { orb_runs_today: 117_648 } }, expect: { decision: 'deny', rule: 'daily-cap' } },
      '',
    ],
    [
      'fails when it does not',
      { input: { orbiset: { orb_runs_today: 117_647 } }, expect: { decision: 'deny', rule: 'daily-cap' } },
      'expected deny, got none (by default allow); expected rule daily-cap, got none',
    ],
    ['passes with none when no rule decides', { expect: { decision: 'none', obligations: [] } }, ''],
    ['passes with allow when the default allows', { expect: { decision: 'allow' } }, ''],
    [
      'tells a rule that allows from the default',
      { input: { inputs: { recipient: 'ada@acme.example' } }, expect: { decision: 'none' } },
      'expected none, got allow',
    ],
    [
      'compares obligations',
      { input: { orb: { irreversible: true } }, expect: { decision: 'allow', obligations: ['timeoutMs'] } },
      'expected obligations timeoutMs, got noStore',
    ],
  ];
  for (const [why, test, detail] of rows)
    it(why, () => expect(report(test).results).to.deep.equal([{ name: 'test', passed: detail === '', detail }]));

  it('names a fact that does not exist, and a value of another type', () => {
    const input = { orbiset: { orb_run_today: 1 }, orb: { score: 101, labels: { tier: 'prod' } } };
    const { findings, results } = report({ input, expect: { decision: 'allow' } });
    expect(findings.map(({ code, pointer, detail }) => [code, pointer, detail])).to.deep.equal([
      [
        'unknown-fact',
        '/spec/tests/0/input/orbiset/orb_run_today',
        'orbiset.orb_run_today is no fact: did you mean orbiset.orb_runs_today?',
      ],
      ['type-error', '/spec/tests/0/input/orb/score', 'write a int inside the bounds of orb.score'],
    ]);
    expect(results.map(({ passed }) => passed)).to.deep.equal([false]);
  });

  for (const [time, isTime] of [
    ['2026-11-20T10:00:00Z', true],
    ['2024-02-29T23:59:59.123+02:00', true],
    ['2026-02-29T10:00:00Z', false],
    ['2026-11-20T24:00:00Z', false],
    ['2026-11-20 10:00:00', false],
    ['2026-11-20', false],
    ['soon', false],
  ] as const)
    it(`${isTime ? 'takes' : 'refuses'} ${time} as a time`, () => {
      const { findings } = report({ input: { run: { started_at: time } }, expect: { decision: 'allow' } });
      const pointers = isTime ? [] : ['/spec/tests/0/input/run/started_at'];
      expect(findings.map(({ pointer }) => pointer)).to.deep.equal(pointers);
    });
});
