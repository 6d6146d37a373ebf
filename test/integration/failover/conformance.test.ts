import { expect } from 'chai';
import { IDS, SCENARIOS } from '../../conformance/scenarios.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';

describe('conformance of failover (failover.md §13)', function conformance() {
  this.timeout(180_000);

  it('has every scenario', () => {
    expect([...new Set(SCENARIOS.map(({ id }) => id))].toSorted()).to.deep.equal([...IDS].toSorted());
  });

  for (const { id, title, kind, run } of SCENARIOS) {
    if (kind === 'real-time') continue;
    it(`${id}: ${title}`, async function scenario() {
      const { checks, skipped } = await run({ plane: sharedControlPlane });
      if (skipped !== undefined) this.skip();
      expect(checks.filter(({ passed }) => !passed)).to.deep.equal([]);
      expect(checks).to.not.have.lengthOf(0);
    });
  }
});
