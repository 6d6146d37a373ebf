import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { findPlatformPod } from '../cluster/platform-service.ts';
import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';
import type { Server } from './http.ts';

/** The platform's own certificate authority, when the user may read it; other users set NODE_EXTRA_CA_CERTS. */
async function authorityOf(cluster: Cluster, namespace: string, name: string, io: Io): Promise<string | undefined> {
  try {
    const secret = await cluster.client.get(KINDS.secret, { namespace, name }, io.signal);
    const data = secret?.['data'];
    const text = isJsonObject(data) ? textAt(data, 'ca.crt') : '';
    return text === '' ? undefined : Buffer.from(text, 'base64').toString('utf8');
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * The API of a cluster, reached through its API server: every request is one forwarded connection to a ready pod.
 * @param key API key or token: it goes to the pod only
 * @throws Failure no pod to connect to, and what to do about it
 */
export async function forwardedServer(cluster: Cluster, namespace: string, key: string, io: Io): Promise<Server> {
  const { target, host, tls, tlsSecret } = await findPlatformPod(cluster, namespace, io.signal);
  const named = tls ? tlsSecret : undefined;
  const authority = named === undefined ? undefined : await authorityOf(cluster, namespace, named, io);
  return {
    ...(authority === undefined ? {} : { authority }),
    base: new URL(`${tls ? 'https' : 'http'}://${host}/`),
    key,
    connect: (signal) => cluster.connect(target, signal),
  };
}
