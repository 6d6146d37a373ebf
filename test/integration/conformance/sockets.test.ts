import { expect } from 'chai';
import { IDS, SCENARIOS } from '../../conformance/scenarios.ts';
import { testScenarios } from '../../support/conformance-tests.ts';

describe('conformance of failover, in one process (failover.md §13)', function conformance() {
  this.timeout(180_000);

  it('has every scenario', () => {
    expect([...new Set(SCENARIOS.map(({ id }) => id))].toSorted()).to.deep.equal([...IDS].toSorted());
  });

  testScenarios(({ kind }) => kind !== 'control-plane');
});
