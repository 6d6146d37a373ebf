import { expect } from 'chai';
import { decide, NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { KeptResults } from '../../../../../core/policy/decision/kept-results.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { aPolicy, aRule, someFacts, type SomeRun } from '../../../../support/policies.ts';

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
