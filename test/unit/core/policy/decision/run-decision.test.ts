import { expect } from 'chai';
import type { Decision, Violation } from '../../../../../core/policy/decision/decision.ts';
import {
  boundTo,
  keptToHosts,
  runDecision,
  undecided,
  type PhaseDecision,
} from '../../../../../core/policy/decision/run-decision.ts';
import { joinObligations, listObligations } from '../../../../../core/policy/decision/obligations.ts';
import { worstViolations } from '../../../../../core/policy/decision/worst-violations.ts';
import type { Phase } from '../../../../../core/policy/facts/fact-schema.ts';

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
    expect([out.decision, out.denials[0]?.code]).to.deep.equal(['deny', 'obligation-failed']);
  });

  it('changes nothing without such an obligation, and no denial', () => {
    const allowed = undecided('Request');
    expect(keptToHosts(allowed, undefined, 'api.us.example')).to.equal(allowed);
    const before = denied('Request', 'x');
    expect(keptToHosts(before, ['eu.example'], 'api.us.example')).to.equal(before);
  });
});

describe('joinObligations', () => {
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
