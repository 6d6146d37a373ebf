import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { toEnd } from '../../../../../core/steps/steps.ts';
import { explainSteps, type Explanation } from '../../../../../core/policy/simulation/explain.ts';
import { aPolicy, aRule, someFacts } from '../../../../support/policies.ts';

const explained = (spec: OrbPolicySpec, facts = someFacts()): Explanation =>
  toEnd(
    explainSteps(facts, {
      set: policySet([aPolicy(spec)], []),
      phase: 'PreFlight',
      options: { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined },
    }),
  );

describe('explain', () => {
  it('shows the values of the parts of a rule', () => {
    const variables = [{ name: 'spent', expression: 'orbiset.orb_runs_today * 850' }];
    const { because, decision } = explained({ variables, rules: [aRule('deny', 'variables.spent >= 17000')] });
    expect(decision).to.equal('deny');
    expect(because).to.deep.equal([
      {
        policy: 'acme/policy',
        rule: 'rule',
        trace: {
          expr: 'variables.spent >= 17000',
          value: true,
          args: [
            { expr: 'variables.spent', value: '17000', args: [] },
            { expr: '17000', value: '17000', args: [] },
          ],
        },
      },
    ]);
  });

  const texts: readonly (readonly [string, string, boolean | string])[] = [
    ['request.fields.exists(f, f.startsWith("user."))', 'request.fields.exists(f, f.startsWith("user."))', true],
    ['request.fields.map(f, f + "!") == ["a"] || true', '(request.fields.map(f, f + "!") == ["a"]) || true', true],
    ['orb.hosts.filter(h, h != "x").size() > 0', 'orb.hosts.filter(h, h != "x").size() > 0', true],
    ['has(orb.age_days) && -orb.score < 0', 'has(orb.age_days) && (-orb.score < 0)', true],
    [
      'orb.irreversible ? "a" in caller.scopes : !true',
      'orb.irreversible ? ("a" in caller.scopes) : !true',
      'not shown',
    ],
    ['{"a": 1}["b"] == 1', '{"a": 1}["b"] == 1', 'error: field not found: b'],
    ['run.started_at > timestamp("2026-01-01T00:00:00Z")', 'run.started_at > timestamp("2026-01-01T00:00:00Z")', true],
  ];
  for (const [when, expr, value] of texts)
    it(`shows ${when}`, () => {
      const trace = explained({ rules: [aRule('deny', when)] }).because[0]?.trace;
      expect([trace?.expr, trace?.value]).to.deep.equal(value === 'not shown' ? [undefined, undefined] : [expr, value]);
    });

  const flips: readonly (readonly [string, string, readonly unknown[]])[] = [
    ['the boundary of a count', 'orbiset.orb_runs_today * 850 >= 10000', [['orbiset.orb_runs_today', 20, 11]]],
    ['the boundary above', 'caller.runs_today < 1000000', [['caller.runs_today', 3, 1_000_000]]],
    ['the other truth', 'run.has_idempotency_key', [['run.has_idempotency_key', true, false]]],
    ['a list with one item less', '"runs:execute" in caller.scopes', [['caller.scopes', ['runs:execute'], []]]],
    [
      'a list with one item more',
      '!("pay" in caller.scopes)',
      [['caller.scopes', ['runs:execute'], ['runs:execute', 'pay']]],
    ],
    ['a text that the rule names', 'caller.kind != "anonymous"', [['caller.kind', 'api_key', 'anonymous']]],
    [
      'each fact that is enough alone',
      'orb.score < 80 && orb.tier_rank == 2',
      [
        ['orb.score', 70, 80],
        ['orb.tier_rank', 2, 1],
      ],
    ],
  ];
  for (const [what, when, expected] of flips)
    it(`finds ${what}`, () => {
      const { smallestFlips } = explained({ rules: [aRule('deny', when)] });
      expect(smallestFlips.every(({ decision }) => decision === 'allow')).to.equal(true);
      const changes = smallestFlips.flatMap((flip) => flip.changes.map(({ fact, from, to }) => [fact, from, to]));
      expect(changes).to.deep.equal(expected);
    });

  it('finds two facts when no fact is enough', () => {
    const { smallestFlips } = explained({ rules: [aRule('deny', 'orb.irreversible || run.has_idempotency_key')] });
    expect(smallestFlips.map(({ changes }) => changes.map(({ fact }) => fact))).to.deep.equal([
      ['orb.irreversible', 'run.has_idempotency_key'],
    ]);
  });

  it('finds what would deny a run that is allowed', () => {
    const { smallestFlips } = explained({ rules: [aRule('deny', 'orb.score < 60')] });
    expect(smallestFlips).to.deep.equal([{ changes: [{ fact: 'orb.score', from: 70, to: 59 }], decision: 'deny' }]);
  });
});
