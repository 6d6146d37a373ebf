import { expect } from 'chai';
import { checkKilled } from '../../chaos/check-killed.ts';
import { policiesWhileAway, setFaults } from '../../chaos/policies/away.ts';
import { openClusterSubject } from '../../chaos/policies/changes/cluster-subject.ts';
import { checkDecisions } from '../../chaos/policies/check-decisions.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { testNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';

const NAMESPACE = 'p16-away';

// `npm run chaos policies -- --only away` takes the API server away for ten minutes.
describe('policies while something is away', function suite() {
  this.timeout(120_000);

  it('deny on by the last good set without operator and API server, and start no run without the ledger', async () => {
    const plane = await sharedControlPlane();
    const team = await testNamespace(plane, NAMESPACE);
    const seen = emptyWitness();
    const subject = await openClusterSubject(plane, NAMESPACE, seen.faults);
    try {
      const absences = await policiesWhileAway({ subject, seen, watchMs: 3000, ledgerMs: 2000 });
      expect((await checkKilled(subject.data, absences.seen, NAMESPACE)).faults).to.deep.equal([]);
      expect((await checkDecisions(subject.data, absences.seen, NAMESPACE)).faults).to.deep.equal([]);
      expect(await setFaults(subject.data, NAMESPACE, absences)).to.deep.equal([]);
      expect(absences.unrecorded.filter((text) => subject.called.has(text))).to.deep.equal([]);
      expect(absences.away.length).to.be.greaterThan(10);
      expect(absences.unrecorded.length).to.be.greaterThan(3);
    } finally {
      await subject.close();
      await team.remove();
    }
  });
});
