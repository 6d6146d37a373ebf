import { expect } from 'chai';
import { decide, NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { KeptResults } from '../../../../../core/policy/decision/kept-results.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import type { Facts } from '../../../../../core/policy/language/port.ts';
import { aPolicy, aRule, someFacts, type SomeRun } from '../../../../support/policies.ts';

const factsOf = (id: string): Facts => ({ caller: { id }, orbiset: { namespace: 'acme', name: 'prod' } });

describe('kept results of an earlier run of the same caller, Orb and Orbiset', () => {
  const caller = { kind: 'api_key', id: 'key:k1', scopes: ['runs:execute'], groups: ['a'], runsToday: 3 } as const;
  const orbiset = { namespace: 'acme', name: 'prod', labels: { region: 'us' }, runsToday: 30, orbRunsToday: 20 };
  const IN_EU = '"region" in orbiset.labels && orbiset.labels["region"] == "eu"';
  const changes: readonly (readonly [why: string, when: string, change: Partial<SomeRun>])[] = [
    ['has another scope', '"orbs:read" in caller.scopes', { caller: { ...caller, scopes: ['orbs:read'] } }],
    ['has one more scope', 'size(caller.scopes) == 2', { caller: { ...caller, scopes: ['runs:execute', 'x'] } }],
    ['has no scope', 'size(caller.scopes) == 0', { caller: { ...caller, scopes: [] } }],
    ['is in another group', '"b" in caller.groups', { caller: { ...caller, groups: ['b'] } }],
    ['has an Orbiset with another label', IN_EU, { orbiset: { ...orbiset, labels: { region: 'eu' } } }],
    [
      'has an Orbiset with one more label',
      '"x" in orbiset.labels',
      { orbiset: { ...orbiset, labels: { region: 'us', x: '' } } },
    ],
    ['has an Orbiset without labels', '!("region" in orbiset.labels)', { orbiset: { ...orbiset, labels: {} } }],
  ];
  for (const [why, when, change] of changes)
    it(`are not used for a run that ${why}`, () => {
      const set = policySet([aPolicy({ rules: [aRule('deny', when)] })], []);
      const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: new KeptResults() };
      const decided = [{}, change, {}].map(
        (parts) => decide(set, someFacts({ caller, orbiset, ...parts }), 'PreFlight', options).decision,
      );
      expect(decided).to.deep.equal(['allow', 'deny', 'allow']);
    });
});

describe('kept results of several callers and Orbisets', () => {
  it('are used for a further run of the same caller, Orb and Orbiset, whatever differs of the run itself', () => {
    const set = policySet([aPolicy({ rules: [aRule('deny', 'orb.score < 80')] })], []);
    const kept = new KeptResults();
    decide(set, someFacts(), 'PreFlight', { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept });
    const further = someFacts({ hasIdempotencyKey: false, inputBytes: 7 });
    expect(kept.get(set, further, 'PreFlight')?.map(({ member }) => member.id)).to.deep.equal(['acme/policy']);
    expect(kept.get(set, further, 'Request')).to.equal(undefined);
  });

  it('stand side by side, so that they do not push each other out', () => {
    const set = policySet([aPolicy({ rules: [aRule('deny', 'orb.score < 80')] })], []);
    const kept = new KeptResults();
    const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept };
    for (const id of ['key:k1', 'key:k2'])
      for (const name of ['prod', 'test']) {
        const caller = { kind: 'api_key', id, scopes: [], groups: [], runsToday: 3 } as const;
        const orbiset = { namespace: 'acme', name, labels: {}, runsToday: 30, orbRunsToday: 20 };
        decide(set, someFacts({ caller, orbiset }), 'PreFlight', options);
      }
    expect(kept.size).to.equal(4);
  });
});

describe('results about the last run of an Orb', () => {
  it('are for the same caller, Orbiset and policies alone', () => {
    const kept = new KeptResults();
    const [set, other] = [policySet([], []), policySet([], [])];
    const lasting = { orb: {}, caller: {}, orbiset: {} };
    const matched = [] as const;
    kept.setNear(set, 'PreFlight', lasting, matched);
    expect(kept.near(set, 'PreFlight', lasting)).to.equal(matched);
    for (const member of ['orb', 'caller', 'orbiset'])
      expect(kept.near(set, 'PreFlight', { ...lasting, [member]: {} }), member).to.equal(undefined);
    expect(kept.near(other, 'PreFlight', lasting)).to.equal(undefined);
    expect(kept.near(set, 'Request', lasting)).to.equal(undefined);
  });
});

describe('kept results', () => {
  const set = policySet([], []);

  it('are 4096 at most: the oldest go', () => {
    const kept = new KeptResults();
    for (let number = 0; number < 4097; number += 1) kept.set(set, factsOf(`key:${number}`), 'PreFlight', []);
    expect(kept.size).to.equal(4096);
    expect(kept.get(set, factsOf('key:0'), 'PreFlight')).to.equal(undefined);
    expect(kept.get(set, factsOf('key:1'), 'PreFlight')).to.deep.equal([]);
  });

  it('are not used when a fact is there that was not, or is gone', () => {
    const labelled: Facts = { orbiset: { namespace: 'acme', name: 'prod', labels: { region: 'eu' } } };
    const bare: Facts = { orbiset: { namespace: 'acme', name: 'prod' } };
    for (const [before, after] of [
      [labelled, bare],
      [bare, labelled],
    ] as const) {
      const kept = new KeptResults();
      kept.set(set, before, 'PreFlight', []);
      expect(kept.get(set, after, 'PreFlight')).to.equal(undefined);
    }
  });
});

describe('rules about a run beside rules about its Orb', () => {
  const ofRun = aRule('deny', 'run.has_idempotency_key', { name: 'run' });
  const notOfRun = aRule('deny', '!run.has_idempotency_key', { name: 'no-run' });
  const ofOrb = aRule('deny', 'orb.score < 80', { name: 'orb' });
  for (const [rules, denying] of [
    [[ofRun, ofOrb, notOfRun], 'run orb'],
    [[ofOrb, ofRun], 'orb run'],
    [[notOfRun, ofOrb], 'orb'],
    [[ofRun, aRule('deny', 'orb.score > 80', { name: 'no-orb' })], 'run'],
  ] as const)
    it(`deny each for themselves, in the order of the policy: ${rules.map(({ name }) => name).join(' ')}`, () => {
      const set = policySet([aPolicy({ rules })], []);
      for (const kept of [undefined, new KeptResults()]) {
        const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept };
        const decision = decide(set, someFacts(), 'PreFlight', options);
        expect(decision.decision).to.equal('deny');
        expect(decision.rules.map(({ rule }) => rule).join(' ')).to.equal(denying);
      }
    });
});
