import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { KEEP_METADATA } from './keep-metadata.ts';

/** A Secret that an uninstall keeps; the values of its entries are base64. */
interface NewSecret {
  readonly namespace: string;
  readonly name: string;
  readonly type: 'Opaque' | 'kubernetes.io/tls';
  readonly data: Readonly<Record<string, string>>;
}

/** Makes a Secret, by `create`. An existing one of that name is kept, unread. @throws KubeError */
export async function createOnce(
  cluster: Cluster,
  { namespace, name, type, data }: NewSecret,
  io: Io,
): Promise<'made' | 'kept'> {
  const metadata = { namespace, name, ...KEEP_METADATA };
  try {
    await cluster.client.create(KINDS.secret, { apiVersion: 'v1', kind: 'Secret', metadata, type, data }, io.signal);
    return 'made';
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return 'kept';
    throw error;
  }
}
