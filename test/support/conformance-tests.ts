import { expect } from 'chai';
import { SCENARIOS } from '../conformance/scenarios.ts';
import type { Scenario } from '../conformance/scenario.ts';
import { sharedControlPlane } from './control-plane.ts';

/** One test for each scenario that is part of `npm test` and chosen. */
export function testScenarios(isChosen: (scenario: Scenario) => boolean): void {
  for (const scenario of SCENARIOS) {
    const { id, title, kind, isLong, run } = scenario;
    if (kind === 'real-time' || isLong === true || !isChosen(scenario)) continue;
    it(`${id}: ${title}`, async function passes() {
      const { checks, skipped } = await run({ plane: sharedControlPlane });
      if (skipped !== undefined) this.skip();
      expect(checks.filter(({ passed }) => !passed)).to.deep.equal([]);
      expect(checks).to.not.have.lengthOf(0);
    });
  }
}
