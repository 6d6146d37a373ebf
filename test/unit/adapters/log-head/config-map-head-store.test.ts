import { expect } from 'chai';
import { createConfigMapHeadStore, LOG_HEAD_NAME } from '../../../../adapters/log-head/config-map-head-store.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createFakeKubeClient, kubeError } from '../../../support/kube/fake-kube-client.ts';
import { refusal } from '../../../support/refusal.ts';

const { signal } = new AbortController();
const NAMESPACE = 'orb-system';
const METADATA = { namespace: NAMESPACE, name: LOG_HEAD_NAME };

// What it must do with versions needs a real API server: test/integration/log-head/config-map.test.ts.
describe('createConfigMapHeadStore', () => {
  it('reads a ConfigMap without its entry as a damaged head, not as none', async () => {
    const client = createFakeKubeClient();
    client.put(KINDS.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA });
    const store = createConfigMapHeadStore({ client, namespace: NAMESPACE });
    expect((await store.read(signal))?.note).to.equal('');
  });

  it('never says that there is none when the API server does not answer', async () => {
    const client = createFakeKubeClient();
    client.before = () => {
      throw kubeError(503, 'ServiceUnavailable');
    };
    const store = createConfigMapHeadStore({ client, namespace: NAMESPACE });
    expect(await refusal(store.read(signal))).to.have.property('status', 503);
    expect(await refusal(store.write('note\n', undefined, signal))).to.have.property('status', 503);
  });
});
