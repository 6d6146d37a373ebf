import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { kubeClientContract } from '../../../support/kube/client-contract.ts';

// The unit tests of writers are worth no more than this fake: it must answer as the real API server does.
kubeClientContract('the fake API', async () => {
  const client = createFakeKubeClient();
  return { client, namespace: 'contract', close: client.close };
});
