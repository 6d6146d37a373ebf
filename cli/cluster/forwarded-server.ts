import type { Server } from '../http.ts';
import type { Io } from '../io/io.ts';
import type { Cluster } from './cluster.ts';
import { findPlatformPod } from './platform-service.ts';

/**
 * The API of a cluster, spoken to through its API server: every request is one forwarded connection to a ready pod.
 * @param key API key or token: it goes to the pod only
 * @throws Failure nothing to speak to, and what to do about it
 */
export async function forwardedServer(cluster: Cluster, namespace: string, key: string, io: Io): Promise<Server> {
  const { target, host, tls } = await findPlatformPod(cluster, namespace, io.signal);
  return {
    base: new URL(`${tls ? 'https' : 'http'}://${host}/`),
    key,
    connect: (signal) => cluster.connect(target, signal),
  };
}
