import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import type { OrbisetPolicies } from '../../../../../core/manifest/policies.ts';
import { NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { requestFacts, responseFacts } from '../../../../../core/policy/facts/build-facts.ts';
import { isKnownTo, type RecordedFacts, type RecordedRun } from '../../../../../core/policy/simulation/recorded-run.ts';
import { replayRun } from '../../../../../core/policy/simulation/replay-run.ts';
import { aPolicy, aRule, someFacts } from '../../../../support/policies.ts';

const SCHEMA = 'orb-facts/1';
const preFlight: RecordedFacts = { phase: 'PreFlight', provider: null, schema: SCHEMA, facts: someFacts() };
const requestTo = (host: string): RecordedFacts => ({
  phase: 'Request',
  provider: host,
  schema: SCHEMA,
  facts: requestFacts({
    provider: host,
    method: 'POST',
    host,
    port: 443,
    path: '/',
    queryNames: [],
    headerNames: [],
    secretRefs: [],
    bodyBytes: 1,
  }),
});
const response: RecordedFacts = {
  phase: 'Response',
  provider: 'b.example',
  schema: SCHEMA,
  facts: responseFacts({ status: 201, bodyBytes: 2, durationMs: 5, contentType: 'text/plain', headerNames: [] }),
};
const uncounted = someFacts({
  caller: { kind: 'api_key', id: 'key:k1', scopes: [], groups: [], runsToday: undefined },
});

const deny = (when: string, parts: OrbPolicySpec = {}): OrbPolicySpec => ({ ...parts, rules: [aRule('deny', when)] });
const REQUEST: OrbPolicySpec = { match: { phases: ['Request'] } };
const RESPONSE: OrbPolicySpec = { match: { phases: ['Response'] } };
const APPROVAL: OrbPolicySpec = {
  rules: [aRule('require', 'true', { obligations: [{ type: 'requireApproval', by: 'runs:approve' }] })],
};
const HOSTS = (...hosts: readonly string[]): OrbPolicySpec => ({
  rules: [aRule('require', 'true', { obligations: [{ type: 'restrictHosts', hosts: [...hosts] }] })],
});
const INPUT: OrbPolicySpec = { inputFacts: { amount: 'int' } };

const replayed = (
  spec: OrbPolicySpec,
  run: Partial<RecordedRun>,
  orbiset: OrbisetPolicies | 'gone' = NO_ORBISET_POLICIES,
): string => {
  const whole: RecordedRun = {
    snapshots: [preFlight],
    absent: 'facts_not_recorded',
    deniedIn: undefined,
    isAnswered: true,
    inputNames: [],
    approved: [],
    defaultEffect: undefined,
    ...run,
  };
  const options = { orbiset: orbiset === 'gone' ? undefined : orbiset, namespace: 'acme', kept: undefined };
  const result = replayRun(policySet([aPolicy(spec)], []), whole, options);
  return result.kind === 'decided' ? result.run.decision : `${result.reason} ${result.fact ?? ''}`.trim();
};

describe('a run that is decided again', () => {
  const all = [preFlight, requestTo('a.example'), requestTo('b.example'), response];
  const rows: readonly (readonly [string, OrbPolicySpec, Partial<RecordedRun>, string])[] = [
    ['is denied by facts that were recorded', deny('orb.score < 80'), {}, 'deny'],
    ['is allowed by facts that were recorded', deny('orb.score < 60'), {}, 'allow'],
    ['needs its facts', deny('true'), { snapshots: [] }, 'facts_not_recorded'],
    ['needs facts that are still there', deny('true'), { snapshots: [], absent: 'facts_erased' }, 'facts_erased'],
    [
      'needs facts of the same schema',
      deny('true'),
      { snapshots: [{ ...preFlight, schema: 'orb-facts/2' }] },
      'schema_mismatch',
    ],
    [
      'is denied again by a rule whose count was absent',
      deny('caller.runs_today > 1'),
      { snapshots: [{ ...preFlight, facts: uncounted }] },
      'deny',
    ],
    [
      'is allowed again by a rule that ignores an absent count',
      deny('caller.runs_today > 1', { failurePolicy: 'Ignore' }),
      { snapshots: [{ ...preFlight, facts: uncounted }] },
      'allow',
    ],
    ['takes a nullable fact as absent', deny('has(inputs.amount)', INPUT), { inputNames: ['amount'] }, 'allow'],
    [
      'names an input that was sent and not exposed',
      deny('has(inputs.amount)', INPUT),
      {},
      'input_fact_not_exposed inputs.amount',
    ],
    [
      'takes an input that was not sent as absent',
      deny('has(inputs.other)', { inputFacts: { other: 'int' } }),
      {},
      'allow',
    ],
    ['needs an approval that it did not get', APPROVAL, {}, 'deny'],
    ['is allowed by the approval that it got', APPROVAL, { approved: ['runs:approve'] }, 'allow'],
    [
      'is denied when every provider is',
      deny('request.host.endsWith(".example")', REQUEST),
      { snapshots: all },
      'deny',
    ],
    ['is allowed when one provider is left', deny('request.host == "a.example"', REQUEST), { snapshots: all }, 'allow'],
    ['needs its requests', deny('request.port == 1', REQUEST), {}, 'phase_not_recorded'],
    ['did not reach its requests', deny('request.port == 1', REQUEST), { deniedIn: 'PreFlight' }, 'phase_not_reached'],
    ['is denied by its answer', deny('response.status == 201', RESPONSE), { snapshots: all }, 'deny'],
    [
      'is denied when its providers are at other hosts than it is kept to',
      HOSTS('c.example'),
      { snapshots: all },
      'deny',
    ],
    ['is allowed when a provider is at a host that it is kept to', HOSTS('b.example'), { snapshots: all }, 'allow'],
    ['needs its requests when it is kept to hosts', HOSTS('b.example'), {}, 'phase_not_recorded'],
    [
      'does not know a host that was a secret',
      HOSTS('b.example'),
      { snapshots: [preFlight, requestTo('*.example')] },
      'fact_not_recorded request.host',
    ],
    [
      'needs the answer of the provider that is left',
      {
        match: { phases: ['Request', 'Response'] },
        rules: [aRule('deny', 'request.host == "b.example"')],
      },
      { snapshots: all },
      'phase_not_recorded',
    ],
    [
      'has no answer to decide about when its providers failed',
      deny('response.status == 201', RESPONSE),
      { isAnswered: false },
      'allow',
    ],
    [
      'did not reach its answer',
      deny('response.status == 201', RESPONSE),
      { deniedIn: 'PreFlight' },
      'phase_not_reached',
    ],
    [
      'needs its answer',
      deny('response.status == 201', RESPONSE),
      { snapshots: all.slice(0, 3) },
      'phase_not_recorded',
    ],
  ];
  for (const [why, spec, run, result] of rows) it(why, () => expect(replayed(spec, run)).to.equal(result));

  const DENY = { defaultEffect: 'deny', requireReady: false } as const;
  const ALLOWS: OrbPolicySpec = { rules: [aRule('allow', 'orb.score > 60')] };
  const SILENT: OrbPolicySpec = { rules: [aRule('allow', 'orb.score > 90')] };
  const orbisets: readonly (readonly [
    string,
    OrbPolicySpec,
    RecordedRun['defaultEffect'],
    OrbisetPolicies | 'gone',
    string,
  ])[] = [
    ['takes the default of its Orbiset as it is now', SILENT, undefined, DENY, 'deny'],
    ['takes a default that the record confirms', SILENT, 'deny', DENY, 'deny'],
    ['says when the default decides and was another one', SILENT, 'allow', DENY, 'orbiset_changed'],
    ['is decided when the default makes no difference', ALLOWS, 'allow', DENY, 'allow'],
    ['says when the default decides and its Orbiset is gone', SILENT, undefined, 'gone', 'orbiset_changed'],
    ['is decided without its Orbiset when a rule decides', ALLOWS, undefined, 'gone', 'allow'],
  ];
  for (const [why, spec, defaultEffect, orbiset, result] of orbisets)
    it(why, () => expect(replayed(spec, { defaultEffect }, orbiset)).to.equal(result));

  it('knows which facts an older schema had', () => {
    const schemas = ['orb-facts/1', 'orb-facts/1.1'];
    expect(isKnownTo('orb-facts/1', 'orb-facts/1.1', schemas)).to.equal(true);
    expect(isKnownTo('orb-facts/1.1', 'orb-facts/1', schemas)).to.equal(false);
    expect(isKnownTo('orb-facts/9', 'orb-facts/1', schemas)).to.equal(false);
  });
});
