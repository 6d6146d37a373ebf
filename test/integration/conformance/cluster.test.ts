import { testScenarios } from '../../support/conformance-tests.ts';

describe('conformance of failover, on a control plane (failover.md §13)', function conformance() {
  this.timeout(180_000);
  testScenarios(({ id, kind }) => kind === 'control-plane' && id !== 'S22');
});
