import { directConnection } from '../../../adapters/kube/connection.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { testNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { kubeClientContract } from '../../support/kube/client-contract.ts';
import { recordLog, recordMetrics } from '../../support/kube/runtime-recorders.ts';

kubeClientContract('a real API server', async () => {
  const plane = await sharedControlPlane();
  const { token } = plane.users.admin;
  const client = createKubeClient({
    connection: await directConnection({ server: plane.server.url, token, caFile: plane.caFile }),
    clock: systemClock,
    random: Math.random,
    logger: recordLog().logger,
    metrics: recordMetrics().metrics,
    userAgent: 'test',
  });
  const { name, remove } = await testNamespace(plane, 'client-contract');
  const close = async (): Promise<void> => {
    await remove();
    await client.close();
  };
  return { client, namespace: name, close };
});
