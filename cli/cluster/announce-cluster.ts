import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import type { ClusterPlace } from './place.ts';

/**
 * Names the cluster on stderr, before a value is requested and before anything is written. The login or the kubeconfig
 * may name another cluster than the user expects.
 */
export function announceCluster(
  { context, server }: Cluster,
  { passedOver }: Pick<ClusterPlace, 'passedOver'>,
  io: Pick<Io, 'err'>,
): void {
  const which = context === undefined ? 'that of this pod' : `context ${printable(context)}`;
  io.err(`cluster: ${which}, ${printable(server)}\n`);
  if (passedOver !== undefined) io.err(`the folder ${passedOver} is not used: give --data ${passedOver} to use it\n`);
}
