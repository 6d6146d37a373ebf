import { testScenarios } from '../../support/conformance-tests.ts';

describe('conformance of failover, of operators that are killed (failover.md §13)', function conformance() {
  this.timeout(180_000);
  testScenarios(({ id, kind }) => kind === 'control-plane' && id === 'S22');
});
