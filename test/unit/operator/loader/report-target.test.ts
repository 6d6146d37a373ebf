import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { reportTarget } from '../../../../operator/loader/report-target.ts';
import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const LEASE = { namespace: 'orb-system', name: 'orb-operator' };
const { signal } = new AbortController();

describe('reportTarget', () => {
  it('is the Pod that the environment names, without a call', async () => {
    const client = createFakeKubeClient();
    const pod = { POD_NAME: 'operator-1', POD_NAMESPACE: 'orb-system', POD_UID: 'u-1' };
    const found = await reportTarget(pod, client, LEASE)(signal);
    expect([found?.kind, found?.metadata]).to.deep.equal([
      'Pod',
      { name: 'operator-1', namespace: 'orb-system', uid: 'u-1' },
    ]);
    expect(client.requests).to.deep.equal([]);
  });

  it('is the Lease without a complete Pod', async () => {
    const client = createFakeKubeClient();
    const target = reportTarget({ POD_NAME: 'operator-1' }, client, LEASE);
    expect(await target(signal)).to.equal(undefined);
    client.put(KINDS.lease, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: LEASE });
    const found = await target(signal);
    expect([found?.kind, found?.metadata.name]).to.deep.equal(['Lease', 'orb-operator']);
  });
});
