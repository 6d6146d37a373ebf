import { expect } from 'chai';
import { checkKilled } from '../../chaos/check-killed.ts';
import type { Aim } from '../../chaos/policies/changes/aims.ts';
import { changeRounds } from '../../chaos/policies/changes/change-rounds.ts';
import { openClusterSubject } from '../../chaos/policies/changes/cluster-subject.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { testNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';

const NAMESPACE = 'p16-kills';
const CHANGES: readonly Aim[] = [
  { act: 'promotion', at: 'object', write: { verb: 'patch', subresource: undefined, when: 'after-send' } },
  { act: 'replay', at: 'written' },
];

// `npm run chaos policies -- --only cluster` aims at every write to an object in three ways, and at every row.
describe('the API of a cluster that is killed while policies are promoted and replayed', function suite() {
  this.timeout(120_000);

  it('has one mode in object, ledger and status, and a replay that was cut short counts for no gate', async () => {
    const plane = await sharedControlPlane();
    const team = await testNamespace(plane, NAMESPACE);
    const seen = emptyWitness();
    const subject = await openClusterSubject(plane, NAMESPACE, seen.faults);
    try {
      const rounds = CHANGES.length;
      const { struck } = await changeRounds({ subject, rounds, aims: CHANGES, random: seededRandom(7), seen });
      expect((await checkKilled(subject.data, seen, NAMESPACE)).faults).to.deep.equal([]);
      expect([...struck.values()]).to.deep.equal([1, 1]);
    } finally {
      await subject.close();
      await team.remove();
    }
  });
});
