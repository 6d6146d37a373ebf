import { expect } from 'chai';
import type { Decision, Violation } from '../../../../../core/policy/decision/decision.ts';
import {
  boundTo,
  decidesRequests,
  keptToHosts,
  runDecision,
  undecided,
  type PhaseDecision,
} from '../../../../../core/policy/decision/run-decision.ts';
import { joinObligations, listObligations, type Obligations } from '../../../../../core/policy/decision/obligations.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { worstViolations } from '../../../../../core/policy/decision/worst-violations.ts';
import type { Phase } from '../../../../../core/policy/facts/fact-schema.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';

const violation = (rule: string, change: Partial<Violation> = {}): Violation => ({
  rule,
  severity: 'medium',
  priority: 100,
  isAboutOrb: false,
  ...change,
});

const denied = (phase: Phase, rule: string): Decision => ({
  ...undecided(phase),
  decision: 'deny',
  denials: [{ code: 'policy-denied', policy: 'acme/p', rule, severity: 'medium', message: rule }],
  violations: [violation(`acme/p/${rule}`)],
  shadow: { decision: 'would_deny', differs: false },
});
const of = (phase: Phase, provider: string | null, decision: Decision = undecided(phase)): PhaseDecision => ({
  phase,
  provider,
  decision,
  tookMs: 0,
});
const bound = (bytes: number): Decision => ({ ...undecided('Request'), obligations: { maxResponseBytes: bytes } });
const first = of('PreFlight', null);

describe('runDecision (policy.md §3.1)', () => {
  it('allows when every phase allows', () => {
    const { decision, check, denials, phase } = runDecision([first, of('Request', 'a'), of('Response', 'a')]);
    expect([decision, check, denials, phase]).to.deep.equal(['allow', 'pass', [], 'Response']);
  });

  for (const [phases, decided] of [
    [[of('PreFlight', null, denied('PreFlight', 'x'))], 'deny in PreFlight'],
    [[first, of('Request', 'a', denied('Request', 'x')), of('Request', 'b')], 'allow'],
    [
      [first, of('Request', 'a', denied('Request', 'x')), of('Request', 'b', denied('Request', 'y'))],
      'deny in Request',
    ],
    [[first, of('Request', 'a'), of('Response', 'a', denied('Response', 'x'))], 'deny in Response'],
  ] as const) {
    it(`decides ${decided} after ${phases.map(({ phase, decision }) => `${phase} ${decision.decision}`).join(', ')}`, () => {
      const run = runDecision(phases);
      expect(run.decision === 'deny' ? `deny in ${run.phase}` : 'allow').to.equal(decided);
      expect(run.check).to.equal(run.decision === 'deny' ? 'fail' : 'pass');
      expect(run.shadow).to.deep.equal({ decision: `would_${run.decision}`, differs: false });
      expect(run.denials.length).to.equal(run.decision === 'deny' ? 1 : 0);
    });
  }

  it('asks no provider where no request was decided on', () => {
    expect(runDecision([first, of('Response', 'a')]).decision).to.equal('allow');
    const late = runDecision([first, of('Response', 'a', denied('Response', 'x'))]);
    expect([late.decision, late.phase, late.provider]).to.deep.equal(['deny', 'Response', 'a']);
    expect(boundTo([of('PreFlight', null, bound(7)), of('Response', 'a', bound(9))])).to.deep.equal({
      maxResponseBytes: 7,
    });
  });

  it('denies by the PreFlight decision also when every provider is allowed', () => {
    const run = runDecision([of('PreFlight', null, denied('PreFlight', 'x')), of('Request', 'a'), of('Request', 'b')]);
    expect([run.decision, run.phase, run.provider]).to.deep.equal(['deny', 'PreFlight', null]);
  });

  it('says of one phase alone what it says', () => {
    const one = denied('PreFlight', 'x');
    expect(runDecision([of('PreFlight', null, one)])).to.deep.equal({
      decision: 'deny',
      phase: 'PreFlight',
      provider: null,
      denials: one.denials,
      violations: one.violations,
      check: 'fail',
      shadow: { decision: 'would_deny', differs: false },
    });
    const audited: Decision = { ...undecided('PreFlight'), shadow: { decision: 'would_deny', differs: true } };
    const { decision, denials, shadow } = runDecision([of('PreFlight', null, audited)]);
    expect([decision, denials, shadow]).to.deep.equal(['allow', [], { decision: 'would_deny', differs: true }]);
    expect(runDecision([of('PreFlight', null, { ...undecided('PreFlight'), hasIgnoredErrors: true })]).check).to.equal(
      'unknown',
    );
    expect(boundTo([of('PreFlight', null, bound(7))])).to.deep.equal({ maxResponseBytes: 7 });
  });

  it('needs one decision at least; without any, a run is bound to nothing', () => {
    expect(() => runDecision([])).to.throw(RangeError);
    expect(boundTo([])).to.deep.equal({});
  });

  it('says when audited policies would let a provider remain that the others leave out', () => {
    const loose: Decision = { ...denied('Request', 'x'), shadow: { decision: 'would_allow', differs: true } };
    expect(runDecision([first, of('Request', 'a', loose)]).shadow).to.deep.equal({
      decision: 'would_allow',
      differs: true,
    });
  });

  it('shows no violation of a provider that was left out while others remained', () => {
    const phases = [first, of('Request', 'a', denied('Request', 'x')), of('Request', 'b')];
    expect(runDecision(phases).violations).to.deep.equal([]);
    const none = [first, of('Request', 'a', denied('Request', 'x'))];
    expect(runDecision(none).violations.map(({ rule }) => rule)).to.deep.equal(['acme/p/x']);
  });

  it('does not know whether the policies hold when a rule failed whose failures are ignored', () => {
    const unsure = of('PreFlight', null, { ...undecided('PreFlight'), hasIgnoredErrors: true });
    expect(runDecision([unsure, of('Request', 'a')]).check).to.equal('unknown');
  });

  it('says that audited policies would deny', () => {
    const audited: Decision = { ...undecided('Request'), shadow: { decision: 'would_deny', differs: true } };
    const { decision, shadow } = runDecision([first, of('Request', 'a', audited)]);
    expect([decision, shadow]).to.deep.equal(['allow', { decision: 'would_deny', differs: true }]);
  });

  it('keeps the obligations of providers that remained', () => {
    const phases = [
      of('PreFlight', null, { ...undecided('PreFlight'), obligations: { timeoutMs: 500 } }),
      of('Request', 'a', { ...denied('Request', 'x'), obligations: { maxResponseBytes: 1 } }),
      of('Request', 'b', bound(200)),
    ];
    expect(boundTo(phases)).to.deep.equal({ timeoutMs: 500, maxResponseBytes: 200 });
  });
});

describe('keptToHosts', () => {
  it('leaves out a provider at another host', () => {
    expect(keptToHosts(undecided('Request'), ['*.eu.example'], 'api.eu.example').decision).to.equal('allow');
    const out = keptToHosts(undecided('Request'), ['*.eu.example'], 'api.us.example');
    expect([out.decision, out.defaultUsed, out.denials]).to.deep.equal([
      'deny',
      false,
      [
        {
          code: 'obligation-failed',
          policy: '',
          rule: '',
          severity: 'medium',
          message: 'the provider is at a host that restrictHosts of the policies leaves out',
        },
      ],
    ]);
  });

  it('changes nothing without such an obligation, and no denial', () => {
    const allowed = undecided('Request');
    expect(keptToHosts(allowed, undefined, 'api.us.example')).to.equal(allowed);
    const before = denied('Request', 'x');
    expect(keptToHosts(before, ['eu.example'], 'api.us.example')).to.equal(before);
  });
});

describe('undecided', () => {
  it('allows, and says nothing else', () => {
    expect(undecided('Request')).to.deep.equal({
      phase: 'Request',
      decision: 'allow',
      defaultUsed: false,
      denials: [],
      rules: [],
      obligations: {},
      exceptionsUsed: [],
      violations: [],
      shadow: { decision: 'would_allow', differs: false },
      hasIgnoredErrors: false,
    });
  });
});

describe('decidesRequests', () => {
  const request = aPolicy({ match: { phases: ['Request'] }, rules: [aRule('deny', 'request.host == "x"')] }, 'request');
  const preFlight = aPolicy({ rules: [aRule('deny', 'orb.score < 80')] }, 'pre-flight');
  const rows: readonly (readonly [string, boolean, Parameters<typeof policySet>[0], Obligations])[] = [
    ['no policy', false, [], {}],
    ['a policy about the run alone', false, [preFlight], {}],
    ['a policy about requests', true, [request], {}],
    ['a policy about requests beside another', true, [preFlight, request], {}],
    ['hosts that the run is kept to', true, [preFlight], { restrictHosts: ['a.example'] }],
    ['another obligation', false, [preFlight], { timeoutMs: 5 }],
  ];
  for (const [why, expected, policies, bound_] of rows)
    it(`is ${expected} with ${why}`, () => {
      expect(decidesRequests(policySet(policies, []), bound_)).to.equal(expected);
    });
});

describe('joinObligations', () => {
  const SIDES: readonly Obligations[] = [
    { restrictHosts: ['a.example'] },
    { maxResponseBytes: 10 },
    { timeoutMs: 5 },
    { redactResponse: ['a'] },
    { noStore: true },
    { requireApproval: ['x'] },
  ];
  for (const side of SIDES)
    it(`keeps ${Object.keys(side).join()} of either side`, () => {
      expect(joinObligations(side, {})).to.deep.equal(side);
      expect(joinObligations({}, side)).to.deep.equal(side);
      expect(joinObligations(side, side)).to.deep.equal(side);
      expect(listObligations(side)).to.have.length(1);
    });

  it('leaves no host where the hosts of the two share none', () => {
    for (const [one, other] of [
      [['*.example'], ['example']],
      [['a.example'], ['b.example']],
      [['*.a.example'], ['*.b.example']],
      [['*.example'], ['badexample']],
    ] as const)
      expect(joinObligations({ restrictHosts: one }, { restrictHosts: other })).to.deep.equal({ restrictHosts: [] });
  });

  it('keeps the narrower of two patterns, on either side', () => {
    for (const [wide, narrow] of [
      ['*.example', '*.a.example'],
      ['*.example', 'a.b.example'],
      ['*.example', '*.example'],
    ] as const)
      for (const [one, other] of [
        [wide, narrow],
        [narrow, wide],
      ] as const)
        expect(joinObligations({ restrictHosts: [one] }, { restrictHosts: [other] })).to.deep.equal({
          restrictHosts: [narrow],
        });
  });

  it('only makes them stricter', () => {
    const joined = joinObligations(
      { restrictHosts: ['*.example'], maxResponseBytes: 10, redactResponse: ['b'], requireApproval: ['x'] },
      {
        restrictHosts: ['a.example', 'b.test'],
        maxResponseBytes: 20,
        timeoutMs: 5,
        redactResponse: ['a'],
        noStore: true,
      },
    );
    expect(listObligations(joined)).to.deep.equal([
      { type: 'restrictHosts', hosts: ['a.example'] },
      { type: 'maxResponseBytes', value: 10 },
      { type: 'timeoutMs', value: 5 },
      { type: 'redactResponse', outputs: ['a', 'b'] },
      { type: 'noStore' },
      { type: 'requireApproval', by: 'x' },
    ]);
  });

  it('of nothing is nothing', () => {
    expect(joinObligations({}, {})).to.deep.equal({});
    expect(listObligations({})).to.deep.equal([]);
  });
});

describe('worstViolations', () => {
  it('shows those of one priority by name, also when they came in another order', () => {
    const kept = worstViolations([violation('b'), violation('c', { severity: 'high' }), violation('a')]);
    expect(kept.map(({ rule }) => rule)).to.deep.equal(['a', 'b', 'c']);
  });

  it('prefers those of high priority, then of early names, among the 64 of one severity', () => {
    const many = Array.from({ length: 65 }, (_, at) => violation(`r${String(at).padStart(2, '0')}`));
    expect(worstViolations(many.toReversed()).map(({ rule }) => rule)).not.to.include('r64');
    const urgent = [...many.slice(0, 64), violation('z', { priority: 101 })];
    const rules = worstViolations(urgent).map(({ rule }) => rule);
    expect([rules[0], rules.includes('r63'), rules.length]).to.deep.equal(['z', false, 64]);
  });

  it('keeps each rule once and the worst 64, shown by priority and name', () => {
    const many = Array.from({ length: 70 }, (_, at) =>
      violation(`r${String(at).padStart(2, '0')}`, { severity: 'low' }),
    );
    const worst = violation('z', { severity: 'critical' });
    const urgent = violation('y', { priority: 900 });
    const kept = worstViolations([...many, worst, urgent, worst]).map(({ rule }) => rule);
    expect(kept).to.have.length(64);
    expect([kept[0], kept.at(-1), new Set(kept).size]).to.deep.equal(['y', 'z', 64]);
  });
});
