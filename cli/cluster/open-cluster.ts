import { readFile } from 'node:fs/promises';
import { inClusterConnection, type Connection } from '../../adapters/kube/connection.ts';
import { createKubeClient } from '../../adapters/kube/kube-client.ts';
import { kubeconfigConnection } from '../../adapters/kube/kubeconfig.ts';
import { openPortForward } from '../../adapters/kube/port-forward.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import type { Cluster, ClusterSelection } from '../io/cluster.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { noKubeMetrics } from '../../adapters/kube/no-metrics.ts';
import { silentLog } from '../../adapters/telemetry/silent-log.ts';

const POD_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

interface Opened {
  readonly connection: Connection;
  readonly namespace: string;
  readonly context: string | undefined;
}

async function inPod(env: Io['env']): Promise<Opened> {
  const connection = await inClusterConnection(env);
  return { connection, namespace: (await readFile(POD_NAMESPACE, 'utf8')).trim(), context: undefined };
}

/** The same choice as kubectl: a kubeconfig that is named or that exists, else the ServiceAccount of this pod. */
async function open(
  { kubeconfig, context }: ClusterSelection,
  { env, home }: Pick<Io, 'env' | 'home'>,
): Promise<Opened> {
  const named = kubeconfig !== undefined || context !== undefined || (env['KUBECONFIG'] ?? '') !== '';
  if (!named && (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') return inPod(env);
  const connection = await kubeconfigConnection({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
    env: { ...env, HOME: home },
  });
  return { connection, namespace: connection.namespace, context: connection.context };
}

/**
 * Opens the Kubernetes API of a kubeconfig or of this pod. Connections are made when they are used.
 * @throws Failure (2) no kubeconfig, no such context, or credentials that can't be obtained
 */
export async function openCluster(
  selection: ClusterSelection,
  io: Pick<Io, 'env' | 'home' | 'version'>,
): Promise<Cluster & { readonly close: () => Promise<void> }> {
  const { connection, namespace, context } = await open(selection, io).catch((error: unknown) => {
    throw invalid(
      error instanceof Error ? error.message : String(error),
      '--server URL or ORB_SERVER needs no kubeconfig: it is the address of the API',
    );
  });
  const client = createKubeClient({
    connection,
    clock: systemClock,
    random: Math.random,
    logger: silentLog,
    metrics: noKubeMetrics,
    userAgent: `orb/${io.version}`,
  });
  return {
    client,
    server: connection.server,
    context,
    namespace,
    connect: (target, signal) => openPortForward(connection, target, signal),
    close: () => client.close(),
  };
}
