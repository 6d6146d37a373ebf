import { expect } from 'chai';
import fc from 'fast-check';
import type { OrbPolicySpec, PolicyObligation, PolicyRule } from '../../../../../crds/orbpolicy.ts';
import { decide, NO_ORBISET_POLICIES, withApprovals } from '../../../../../core/policy/decision/decide.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { KeptResults } from '../../../../../core/policy/decision/kept-results.ts';
import { policySet, type MissingPolicy, type PolicyInForce } from '../../../../../core/policy/decision/policy-set.ts';
import { aPolicy, aRule, decideWith, someFacts, someRequestFacts } from '../../../../support/policies.ts';

// ORB_PROPERTY_RUNS=10000 takes about 15 seconds.
const SEEDED = { seed: 20_261_120, numRuns: Number(process.env['ORB_PROPERTY_RUNS'] ?? '400') };

const DENY = aRule('deny', 'orb.score < 80', { message: 'too low' });
const bound = (...obligations: readonly PolicyObligation[]): PolicyRule => aRule('require', 'true', { obligations });
const inPhase = (phase: 'PreFlight' | 'Request' | 'Response', rules: readonly PolicyRule[]): OrbPolicySpec => ({
  match: { phases: [phase] },
  rules,
});

const missing = (parts: Partial<MissingPolicy>): MissingPolicy => ({
  namespace: 'acme',
  name: 'gone',
  mode: 'Enforce',
  requireReady: true,
  match: {},
  ...parts,
});

describe('decide', () => {
  it('reports the denial of the highest priority, then by name', () => {
    const policies = [
      aPolicy({ rules: [DENY] }, 'b'),
      aPolicy({ rules: [DENY] }, 'a'),
      aPolicy({ rules: [DENY], priority: 200 }, 'c'),
    ];
    const { denials } = decideWith(policies);
    expect(denials.map(({ policy }) => policy)).to.deep.equal(['acme/c', 'acme/a', 'acme/b']);
    expect(denials[0]).to.deep.equal({
      code: 'policy-denied',
      policy: 'acme/c',
      rule: 'rule',
      severity: 'medium',
      message: 'too low',
    });
  });

  it('evaluates only policies of the phase', () => {
    const policies = [aPolicy(inPhase('Request', [aRule('deny', 'request.host == "mail.example"')]))];
    expect(decideWith(policies).decision).to.equal('allow');
    expect(decideWith(policies, { facts: someRequestFacts(), phase: 'Request' }).decision).to.equal('deny');
    expect(decideWith(policies, { facts: someRequestFacts('x.example'), phase: 'Request' }).decision).to.equal('allow');
  });

  const matches: readonly (readonly [string, OrbPolicySpec['match'], boolean])[] = [
    ['every part is empty', { orbs: { ids: [], selector: {} }, orbisets: { names: [] }, callers: { kinds: [] } }, true],
    ['the orb_id is the same', { orbs: { ids: ['acme.mailer@1.2.0'] } }, true],
    ['a pattern fits', { orbs: { ids: ['other.*', 'acme.mailer@*'] } }, true],
    ['no pattern fits', { orbs: { ids: ['acme.mail@*', '*2.0x', '*.mailer'] } }, false],
    ['stars stand for nothing', { orbs: { ids: ['*acme.*mailer@1.2.0*'] } }, true],
    ['the label is the same', { orbs: { selector: { matchLabels: { tier: 'prod' } } } }, true],
    ['the label differs', { orbs: { selector: { matchLabels: { tier: 'prod', region: 'eu' } } } }, false],
    ['the Orbiset is named', { orbisets: { names: ['prod'] } }, true],
    ['the Orbiset is not named', { orbisets: { names: ['test'] } }, false],
    ['the caller holds a scope', { callers: { scopes: ['x', 'runs:execute'] } }, true],
    ['the caller holds no scope', { callers: { scopes: ['x'] } }, false],
    ['one part of two differs', { orbisets: { names: ['prod'] }, callers: { kinds: ['anonymous'] } }, false],
  ];
  for (const [why, match = {}, isDenied] of matches)
    it(`${isDenied ? 'means' : 'does not mean'} a run when ${why}`, () =>
      expect(decideWith([aPolicy({ match, rules: [DENY] })]).decision).to.equal(isDenied ? 'deny' : 'allow'));

  const absences: readonly (readonly [string, MissingPolicy, boolean, readonly [string, string]])[] = [
    ['it must be ready', missing({}), false, ['deny', 'would_deny']],
    ['it can not be read', missing({ match: undefined }), false, ['deny', 'would_deny']],
    ['it means other Orbs', missing({ match: { orbs: { ids: ['x'] } } }), false, ['allow', 'would_allow']],
    ['it need not be ready', missing({ requireReady: false }), false, ['allow', 'would_allow']],
    ['the Orbiset asks', missing({ requireReady: false }), true, ['deny', 'would_deny']],
    ['another namespace asks', missing({ requireReady: false, namespace: 'x' }), true, ['allow', 'would_allow']],
    ['it only audits', missing({ mode: 'Audit' }), false, ['allow', 'would_deny']],
  ];
  for (const [why, policy, requireReady, expected] of absences)
    it(`decides ${expected.join(' and ')} without a version in force when ${why}`, () => {
      const orbiset = { ...NO_ORBISET_POLICIES, requireReady };
      const { decision, shadow, denials } = decideWith([], { missing: [policy], options: { orbiset } });
      expect([decision, shadow.decision]).to.deep.equal(expected);
      expect(denials.map(({ code }) => code)).to.deep.equal(decision === 'deny' ? ['policy-not-ready'] : []);
    });

  const faults: readonly (readonly [string, PolicyObligation, string])[] = [
    ['is unknown', { type: 'encrypt' }, 'unknown-obligation'],
    ['lacks its parameter', { type: 'timeoutMs' }, 'bad-obligation'],
    ['has a foreign parameter', { type: 'noStore', value: 1 }, 'bad-obligation'],
    ['has no host', { type: 'restrictHosts', hosts: [] }, 'bad-obligation'],
  ];
  for (const [why, obligation, code] of faults)
    it(`denies a run whose obligation ${why}`, () => {
      // The compiler refuses it: it stands for one that a newer program wrote.
      const good = aPolicy({ rules: [bound({ type: 'noStore' })] });
      const spec = { ...good.definition.spec, rules: [bound(obligation)] };
      const { decision, denials } = decideWith([{ ...good, definition: { ...good.definition, spec } }]);
      expect([decision, denials[0]?.code]).to.deep.equal(['deny', code]);
    });

  it('unites obligations, the strictest of each', () => {
    const policies = [
      aPolicy({
        rules: [
          bound(
            { type: 'restrictHosts', hosts: ['*.example', 'api.other.test'] },
            { type: 'timeoutMs', value: 500 },
            { type: 'redactResponse', outputs: ['name'] },
          ),
        ],
      }),
      aPolicy(
        {
          rules: [
            aRule('allow', 'true', {
              obligations: [{ type: 'restrictHosts', hosts: ['mail.example', '*.a.example'] }],
            }),
          ],
        },
        'second',
      ),
      aPolicy(
        { rules: [bound({ type: 'timeoutMs', value: 300 }, { type: 'redactResponse', outputs: ['body', 'name'] })] },
        'third',
      ),
      aPolicy({ rules: [bound({ type: 'timeoutMs', value: 1 })] }, 'audited', 'Audit'),
    ];
    expect(decideWith(policies).obligations).to.deep.equal({
      restrictHosts: ['*.a.example', 'mail.example'],
      timeoutMs: 300,
      redactResponse: ['body', 'name'],
    });
  });

  it('denies a run when no host is left', () => {
    const policies = [
      aPolicy({ rules: [bound({ type: 'restrictHosts', hosts: ['*.example'] })] }, 'a'),
      aPolicy({ rules: [bound({ type: 'restrictHosts', hosts: ['example', '*.test'] })] }, 'b'),
    ];
    expect(decideWith(policies).denials.map(({ code }) => code)).to.deep.equal(['obligation-failed']);
  });

  it('denies a run until every scope has approved', () => {
    const rules = [
      bound({ type: 'requireApproval', by: 'finance' }),
      { ...bound({ type: 'requireApproval', by: 'ops' }), name: 'second' },
    ];
    const decision = decideWith([aPolicy({ rules })]);
    expect(decision.decision).to.equal('allow');
    expect(withApprovals(decision, ['finance']).denials.map(({ code }) => code)).to.deep.equal(['approval-required']);
    expect(withApprovals(decision, ['finance', 'ops']).decision).to.equal('allow');
  });

  it('says which violations are about the Orb alone', () => {
    const rules = [DENY, aRule('deny', 'orb.score < 80 && caller.kind == "api_key"', { name: 'of-caller' })];
    expect(decideWith([aPolicy({ rules })]).violations).to.deep.equal([
      { rule: 'acme/policy/of-caller', severity: 'medium', isAboutOrb: false, priority: 100 },
      { rule: 'acme/policy/rule', severity: 'medium', isAboutOrb: true, priority: 100 },
    ]);
  });

  it('ignores an exception that ends more than 90 days after the run', () => {
    const exception = { rule: 'rule', until: '2027-02-01T00:00:00Z', reason: 'INC-42' };
    const policy = aPolicy({ rules: [DENY], exceptions: [exception] });
    expect(decideWith([policy]).decision).to.equal('allow');
    const facts = someFacts({ startedAt: Date.parse('2026-10-01T00:00:00Z') });
    expect(decideWith([policy], { facts }).decision).to.equal('deny');
    expect(
      decideWith([policy], { facts: someFacts({ startedAt: Date.parse('2027-03-01T00:00:00Z') }) }).decision,
    ).to.equal('deny');
  });

  it('denies when an evaluator gives something that is no result, whatever failurePolicy says', () => {
    const policy = aPolicy({ failurePolicy: 'Ignore', rules: [DENY] });
    const broken = { rule: 'rule', effect: 'deny', value: 'error', code: 'evaluator-failed' } as const;
    const compiled = {
      ...policy.compiled,
      digest: policy.compiled.digest,
      rules: policy.compiled.rules,
      readsFacts: [],
      costUnits: {},
      areFalse: () => false,
      trace: () => undefined,
      evaluate: (_: unknown, which: readonly number[] = [0]) => which.map(() => broken),
    };
    expect(decideWith([{ ...policy, compiled }]).denials.map(({ code }) => code)).to.deep.equal(['policy-error']);
  });
});

// A few conditions of each result; those about the run are not kept.
const WHENS = [
  'orb.score < 80',
  'orb.score > 80',
  'orb.score / 0 == 1',
  'run.has_idempotency_key',
  '!run.has_idempotency_key',
  'caller.runs_today / 0 == 1',
  '"runs:execute" in caller.scopes',
  'caller.runs_today > 2',
  'orb.labels["region"] == "eu"',
];
const effects = fc.constantFrom('deny', 'allow', 'require');
const aRandomRule = fc.record({ effect: effects, when: fc.constantFrom(...WHENS) });
const anyPolicy = fc.record({
  rules: fc.array(aRandomRule, { maxLength: 3 }),
  failurePolicy: fc.constantFrom('Fail', 'Ignore'),
  defaultEffect: fc.constantFrom('allow', 'deny'),
  mode: fc.constantFrom('Enforce', 'Audit'),
  percent: fc.constantFrom(0, 50, 100),
  isExcepted: fc.boolean(),
});
type RandomPolicy = typeof anyPolicy extends fc.Arbitrary<infer Value> ? Value : never;
// Compiling takes about a millisecond, so cases choose from a few policies, and each is compiled once.
const aRandomPolicy = fc.constantFrom(...fc.sample(anyPolicy, { numRuns: 40, seed: SEEDED.seed }));

const compiledOnce = new Map<string, PolicyInForce>();

function made(policy: RandomPolicy, name: string): PolicyInForce {
  const key = JSON.stringify([policy, name]);
  const kept = compiledOnce.get(key);
  if (kept !== undefined) return kept;
  const rules = policy.rules.map(({ effect, when }, index) => aRule(effect, when, { name: `r${index}` }));
  const first = rules[0];
  const exceptions =
    policy.isExcepted && first?.effect === 'deny'
      ? [{ rule: 'r0', until: '2026-12-01T00:00:00Z', reason: 'INC-42', caller: 'key:k1' }]
      : [];
  const { failurePolicy, defaultEffect, mode, percent } = policy;
  const spec = { rules, failurePolicy, defaultEffect, rollout: { percent }, exceptions };
  const found = aPolicy(spec, name, mode);
  compiledOnce.set(key, found);
  return found;
}

const makeAll = (policies: readonly RandomPolicy[]): readonly PolicyInForce[] =>
  policies.map((policy, index) => made(policy, `p${index}`));

describe('kept results', () => {
  it('end with their set, whose digest does not cover priorities', () => {
    const kept = new KeptResults();
    const second = aPolicy({ rules: [DENY], priority: 50 }, 'b');
    const violationsWith = (priority: number): readonly string[] => {
      const set = policySet([aPolicy({ rules: [DENY], priority }, 'a'), second], []);
      const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept };
      return decide(set, someFacts(), 'PreFlight', options).violations.map(({ rule }) => rule);
    };
    expect(violationsWith(100)).to.deep.equal(['acme/a/rule', 'acme/b/rule']);
    expect(violationsWith(1)).to.deep.equal(['acme/b/rule', 'acme/a/rule']);
  });
});

describe('decisions about any policies', function anyPolicies() {
  this.timeout(600_000);

  it('stay denied when a policy is added, unless a default denied', () => {
    fc.assert(
      fc.property(fc.array(aRandomPolicy, { maxLength: 3 }), aRandomPolicy, (before, added) => {
        const lenient = before.map((policy): RandomPolicy => ({ ...policy, defaultEffect: 'allow' }));
        const policies = makeAll(lenient);
        const more = [...policies, made(added, 'added')];
        return decideWith(policies).decision === 'allow' || decideWith(more).decision === 'deny';
      }),
      SEEDED,
    );
  });

  it('are never looser when a rule fails in place of being false', () => {
    fc.assert(
      fc.property(aRandomPolicy, fc.array(aRandomPolicy, { maxLength: 2 }), (policy, others) => {
        const rules = [...policy.rules, { effect: 'deny', when: 'orb.score > 80' }] as const;
        const withRules = (when: string, at: number): RandomPolicy => ({
          ...policy,
          rules: rules.map((rule, index) => (index === at ? { ...rule, when } : rule)),
        });
        const rest = makeAll(others);
        return rules.every((_, at) => {
          const whenFalse = decideWith([made(withRules('orb.score > 80', at), 'x'), ...rest]);
          const whenFailed = decideWith([made(withRules('orb.score / 0 == 1', at), 'x'), ...rest]);
          const keepsObligations = whenFalse.obligations.noStore !== true || whenFailed.obligations.noStore === true;
          return (whenFalse.decision === 'allow' || whenFailed.decision === 'deny') && keepsObligations;
        });
      }),
      SEEDED,
    );
  });

  it('are the same with kept results', () => {
    const [kept, near] = [new KeptResults(), new KeptResults()];
    const orb = {};
    const objects = new Map<string, JsonObject>();
    const objectFor = (name: string): JsonObject => {
      const found = objects.get(name) ?? {};
      objects.set(name, found);
      return found;
    };
    const some = fc.sample(fc.array(aRandomPolicy, { maxLength: 3 }), { numRuns: 20, seed: SEEDED.seed });
    const runs = fc.record({
      set: fc.constantFrom(...some.map((policies) => policySet(makeAll(policies), []))),
      caller: fc.constantFrom('key:k1', 'key:k2', 'sa:acme/x'),
      runsToday: fc.constantFrom(1, 3, undefined),
      orbiset: fc.constantFrom('prod', 'test'),
      hasIdempotencyKey: fc.boolean(),
    });
    fc.assert(
      fc.property(runs, ({ set, caller, runsToday, orbiset, hasIdempotencyKey }) => {
        const facts = someFacts({
          caller: { kind: 'api_key', id: caller, scopes: ['runs:execute'], groups: [], runsToday },
          orbiset: { namespace: 'acme', name: orbiset, labels: {}, runsToday: 1, orbRunsToday: 1 },
          hasIdempotencyKey,
        });
        const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme' };
        const withKept = decide(set, facts, 'PreFlight', { ...options, kept });
        const evaluated = decide(set, facts, 'PreFlight', { ...options, kept: undefined });
        const lasting = { orb, caller: objectFor(caller), orbiset: objectFor(orbiset) };
        expect(withKept).to.deep.equal(evaluated);
        expect(decide(set, facts, 'PreFlight', { ...options, kept: near, lasting })).to.deep.equal(evaluated);
      }),
      SEEDED,
    );
    expect(kept.size).to.be.within(2, 4096);
  });
});
