import { expect } from 'chai';
import { NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { policySet, type PolicyInForce } from '../../../../../core/policy/decision/policy-set.ts';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import { toEnd } from '../../../../../core/steps/steps.ts';
import { dryRunSteps, type DryRun } from '../../../../../core/policy/simulation/dry-run.ts';
import { completedFacts } from '../../../../../core/policy/simulation/test-facts.ts';
import { aPolicy, aRule, someFacts } from '../../../../support/policies.ts';

const OPTIONS = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
const FACTS = completedFacts(ORB_FACTS, { orbiset: { runs_today: 30 } }, '', { caller: { runs_today: 3 } });

const tried = (policies: readonly PolicyInForce[], current: readonly PolicyInForce[] = [], facts = FACTS): DryRun =>
  toEnd(
    dryRunSteps({
      tried: policySet(policies, []),
      current: policySet(current, []),
      facts,
      phase: 'PreFlight',
      options: OPTIONS,
      isTraced: true,
    }),
  );

const DENY = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 25')] }, 'limits');
const BOUND = aPolicy({ rules: [aRule('require', 'true')] }, 'bound');
const APPROVAL = { type: 'requireApproval', by: 'incidents:write' };

describe('dryRun', () => {
  const rows: readonly [
    why: string,
    policies: readonly PolicyInForce[],
    current: readonly PolicyInForce[],
    changes: unknown,
  ][] = [
    ['a new denial', [DENY], [], [{ kind: 'new_deny', rule: 'acme/limits/rule' }]],
    ['a denial that goes', [], [DENY], [{ kind: 'new_allow', rule: 'acme/limits/rule' }]],
    ['other obligations', [BOUND], [], [{ kind: 'obligations_changed', rule: '' }]],
    ['nothing', [DENY], [DENY], []],
    [
      'a run that must be approved',
      [aPolicy({ rules: [aRule('require', 'true', { obligations: [APPROVAL] })] })],
      [],
      [{ kind: 'new_deny', rule: 'approval-required' }],
    ],
  ];
  for (const [why, policies, current, changes] of rows)
    it(`shows ${why}`, () => {
      expect(tried(policies, current).changes).to.deep.equal(changes);
    });

  it('names the origin of each fact that the policies read, and those that are absent', () => {
    const rules = [aRule('deny', 'orbiset.runs_today > caller.runs_today && orb.score < 1 && orb.age_days < 7')];
    const { factsUsed, missingFacts } = tried([aPolicy({ rules })]);
    expect(Object.fromEntries(factsUsed)).to.deep.equal({
      'caller.runs_today': 'live',
      'orb.score': 'default',
      'orbiset.runs_today': 'given',
    });
    expect(missingFacts).to.deep.equal(['orb.age_days']);
  });

  it('leaves out facts of policies that do not mean the run', () => {
    const other = aPolicy({ match: { orbs: { ids: ['other.*'] } }, rules: [aRule('deny', 'orb.score < 1')] });
    expect([...tried([other]).factsUsed.keys()]).to.deep.equal([]);
  });

  it('shows the values of the parts of rules that matched', () => {
    const [rule] = tried([DENY]).rules;
    expect(rule?.trace).to.deep.include({ expr: 'orbiset.runs_today >= 25', value: true });
  });

  it('decides on live facts as a run does', () => {
    const live = completedFacts(ORB_FACTS, {}, '', someFacts());
    const rules = [aRule('deny', "orb.tier == 'silver' && 'mail.example' in orb.hosts")];
    expect(tried([aPolicy({ rules })], [], live).decision.decision).to.equal('deny');
  });
});
