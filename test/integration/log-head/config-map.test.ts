import { readFileSync } from 'node:fs';
import { directConnection } from '../../../adapters/kube/connection.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import { createConfigMapHeadStore, LOG_HEAD_NAME } from '../../../adapters/log-head/config-map-head-store.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { recordLog, recordMetrics } from '../../support/kube/runtime-recorders.ts';
import { headStoreContract } from '../../unit/adapters/log-head/contract.ts';

const NAMESPACE = 'orb-system';

headStoreContract('ConfigMap, by the ServiceAccount of the API', async () => {
  const plane = await sharedControlPlane();
  const token = readFileSync(plane.users.api.tokenFile, 'utf8').trim();
  const client = createKubeClient({
    connection: await directConnection({ server: plane.server.url, token, caFile: plane.caFile }),
    clock: systemClock,
    random: Math.random,
    logger: recordLog().logger,
    metrics: recordMetrics().metrics,
    userAgent: 'test',
  });
  const remove = async (): Promise<void> => {
    await kubectlOk(plane, ['-n', NAMESPACE, 'delete', 'configmap', LOG_HEAD_NAME, '--ignore-not-found']);
  };
  await remove();
  const open = (): ReturnType<typeof createConfigMapHeadStore> =>
    createConfigMapHeadStore({ client, namespace: NAMESPACE });
  return {
    store: open(),
    reopen: open,
    remove,
    dispose: async () => {
      await remove();
      await client.close();
    },
  };
});
