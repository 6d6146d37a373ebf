import { expect } from 'chai';
import { decide, NO_ORBISET_POLICIES, withApprovals } from '../../../../../core/policy/decision/decide.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { aPolicy, aRule, decideWith, someFacts } from '../../../../support/policies.ts';

const DENY = aRule('deny', 'orb.score < 80', { message: 'too low' });
const MISSING = { namespace: 'acme', name: 'gone', mode: 'Enforce', requireReady: true, match: {} } as const;

const denialsOf = (policy: ReturnType<typeof aPolicy>): readonly string[] =>
  decideWith([policy]).denials.map(({ code }) => code);
const byDefault = (...rules: readonly ReturnType<typeof aRule>[]): boolean =>
  decideWith([aPolicy({ rules: [...rules, aRule('require', 'true', { name: 'binds' })] })]).defaultUsed;
const ignoredWith = (failurePolicy: 'Fail' | 'Ignore', when: string): boolean =>
  decideWith([aPolicy({ rules: [aRule('deny', when)], failurePolicy })]).hasIgnoredErrors;

describe('what a decision says', () => {
  it('reports a denial by name when there are two of one priority', () => {
    const policies = [aPolicy({ rules: [DENY] }, 'b'), aPolicy({ rules: [DENY] }, 'a')];
    expect(decideWith(policies).denials.map(({ policy }) => policy)).to.deep.equal(['acme/a', 'acme/b']);
  });

  it('reports the denial of the higher priority first when there are two', () => {
    const policies = [aPolicy({ rules: [DENY], priority: 1 }, 'a'), aPolicy({ rules: [DENY], priority: 50 }, 'b')];
    expect(decideWith(policies).denials.map(({ policy }) => policy)).to.deep.equal(['acme/b', 'acme/a']);
  });

  it('excepts a rule that denies or fails, but not one whose evaluator is broken', () => {
    const exceptions = [{ rule: 'rule', until: '2026-12-01T00:00:00Z', reason: 'INC-42', caller: 'key:k1' }];
    const excepted = (when: string) => aPolicy({ rules: [aRule('deny', when)], exceptions });
    expect(denialsOf(excepted('orb.score < 80'))).to.deep.equal([]);
    expect(denialsOf(excepted('orb.score / 0 == 1'))).to.deep.equal([]);
    const sound = excepted('orb.score < 80');
    const broken = { rule: 'rule', effect: 'deny', value: 'error', code: 'evaluator-failed' } as const;
    const compiled = { ...sound.compiled, areFalse: () => false, evaluate: () => [broken] };
    expect(denialsOf({ ...sound, compiled })).to.deep.equal(['policy-error']);
  });

  it('is by default only when no rule allows or denies', () => {
    expect([byDefault(), byDefault(aRule('allow', 'true')), byDefault(DENY)]).to.deep.equal([true, false, false]);
  });

  it('says whether a failure was ignored', () => {
    expect(ignoredWith('Ignore', 'orb.score / 0 == 1')).to.equal(true);
    expect(ignoredWith('Ignore', 'orb.score < 80')).to.equal(false);
    expect(ignoredWith('Fail', 'orb.score / 0 == 1')).to.equal(false);
  });

  it('binds a run to the smallest of the largest answers that policies allow', () => {
    const policies = [500, 300, 400].map((value, index) =>
      aPolicy(
        { rules: [aRule('require', 'true', { obligations: [{ type: 'maxResponseBytes', value }] })] },
        `p${index}`,
      ),
    );
    expect(decideWith(policies).obligations).to.deep.equal({ maxResponseBytes: 300 });
  });

  it('reports a policy of the lowest priority before one that is not there', () => {
    const set = policySet([aPolicy({ rules: [DENY], priority: 1 }, 'z')], [MISSING]);
    const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
    const { denials } = decide(set, someFacts(), 'PreFlight', options);
    expect(denials.map(({ policy }) => policy)).to.deep.equal(['acme/z', 'acme/gone']);
  });

  for (const phase of ['PreFlight', 'Request', 'Response'] as const)
    it(`allows phase ${phase} by default, and says nothing else, without a policy`, () => {
      const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
      expect(decide(policySet([], []), someFacts(), phase, options)).to.deep.equal({
        phase,
        decision: 'allow',
        defaultUsed: true,
        denials: [],
        rules: [],
        obligations: {},
        exceptionsUsed: [],
        violations: [],
        shadow: { decision: 'would_allow', differs: false },
        hasIgnoredErrors: false,
      });
    });

  it('denies a run by the default of an Orbiset, in PreFlight alone', () => {
    const options = {
      orbiset: { ...NO_ORBISET_POLICIES, defaultEffect: 'deny' },
      namespace: 'acme',
      kept: undefined,
    } as const;
    const decisions = (['PreFlight', 'Request', 'Response'] as const).map(
      (phase) => decide(policySet([], []), someFacts(), phase, options).decision,
    );
    expect(decisions).to.deep.equal(['deny', 'allow', 'allow']);
  });

  it('shows each rule that is true or fails, with the message of those that deny', () => {
    const rules = [
      { ...DENY, severity: 'high' as const },
      aRule('allow', 'true', { name: 'allows' }),
      aRule('deny', 'false', { name: 'says-nothing' }),
    ];
    const shown = decideWith([aPolicy({ rules })]).rules.map(
      ({ rule, effect, result, enforced, severity, message }) => ({
        rule,
        effect,
        result,
        enforced,
        severity,
        message,
      }),
    );
    expect(shown).to.deep.equal([
      { rule: 'rule', effect: 'deny', result: 'true', enforced: true, severity: 'high', message: 'too low' },
      { rule: 'allows', effect: 'allow', result: 'true', enforced: true, severity: 'medium', message: '' },
    ]);
  });

  it('names the rule that denies without a message, and gives no text of one that fails', () => {
    const rules = [aRule('deny', 'true'), aRule('deny', 'orb.score / 0 == 1', { name: 'fails' })];
    const shown = decideWith([aPolicy({ rules })]).rules.map(({ rule, message }) => [rule, message]);
    expect(shown).to.deep.equal([
      ['rule', 'denied by rule rule'],
      ['fails', ''],
    ]);
  });

  it('counts a rule that reads nothing against the Orb, unless its policy means callers or Orbisets', () => {
    const rules = [aRule('deny', 'true')];
    for (const [match, isAboutOrb] of [
      [{}, true],
      [{ orbs: { ids: ['acme.*'] } }, true],
      [{ callers: { kinds: [] }, orbisets: { names: [] } }, true],
      [{ callers: { kinds: ['api_key'] } }, false],
      [{ orbisets: { names: ['prod'] } }, false],
    ] as const)
      expect(decideWith([aPolicy({ match, rules })]).violations.map((one) => one.isAboutOrb)).to.deep.equal([
        isAboutOrb,
      ]);
  });

  it('of open approvals names their scopes, and a decision without any stays as it is', () => {
    const rules = (['finance', 'ops'] as const).map((by) =>
      aRule('require', 'true', { name: by, obligations: [{ type: 'requireApproval', by }] }),
    );
    const decision = decideWith([aPolicy({ rules })]);
    expect(withApprovals(decision, ['finance', 'ops'])).to.equal(decision);
    const open = withApprovals(decision, []);
    expect([open.decision, open.defaultUsed, open.denials]).to.deep.equal([
      'deny',
      false,
      [
        {
          code: 'approval-required',
          policy: '',
          rule: '',
          severity: 'medium',
          message: 'this run needs the approval of another identity with finance, ops',
        },
      ],
    ]);
    const denied = decideWith([aPolicy({ rules: [...rules, { ...DENY, name: 'denies' }] })]);
    expect(withApprovals(denied, [])).to.equal(denied);
    const free = decideWith([aPolicy({ rules: [aRule('allow', 'true')] })]);
    expect(withApprovals(free, [])).to.equal(free);
  });
});
