import { expect } from 'chai';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { RuleCounts } from '../../../../../core/policy/simulation/coverage.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';

const SET = policySet(
  [aPolicy({ rules: [aRule('deny', 'true', { name: 'a' }), aRule('deny', 'false', { name: 'b' })] }, 'limits')],
  [],
);
const record = (...rules: readonly (readonly [rule: string, result: string])[]): JsonObject => ({
  rules: rules.map(([rule, result]) => ({ policy: 'acme/limits', rule, result })),
});

describe('RuleCounts', () => {
  it('counts how often each rule of the set matched and failed', () => {
    const counts = new RuleCounts();
    for (const one of [record(['a', 'true']), record(['a', 'true'], ['gone', 'true']), record(['a', 'error'])])
      counts.add(one);
    expect([counts.decisions, counts.of(SET)]).to.deep.equal([
      3,
      [
        { policy: 'acme/limits', rule: 'a', matched: 2, failed: 1 },
        { policy: 'acme/limits', rule: 'b', matched: 0, failed: 0 },
      ],
    ]);
  });

  it('counts a rule once for a run, also when it matched for several providers', () => {
    const counts = new RuleCounts();
    counts.add(record(['a', 'error'], ['a', 'true'], ['a', 'true'], ['a', 'error']));
    expect(counts.of(SET)[0]).to.include({ matched: 1, failed: 0 });
  });

  it('leaves out what is no rule', () => {
    const counts = new RuleCounts();
    counts.add({ rules: ['a', { policy: 'acme/limits' }, null] });
    counts.add({});
    expect([counts.decisions, counts.of(SET)[0]?.matched]).to.deep.equal([2, 0]);
  });
});
