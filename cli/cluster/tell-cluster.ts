import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterPlace } from './place.ts';

/**
 * Names the cluster on stderr, before a value is asked for and before anything is written: a login or a kubeconfig may
 * mean another one than who types thinks.
 */
export function tellCluster(
  { context, server }: Cluster,
  { passedOver }: Pick<ClusterPlace, 'passedOver'>,
  io: Pick<Io, 'err'>,
): void {
  const which = context === undefined ? 'that of this pod' : `context ${printable(context)}`;
  io.err(`cluster: ${which}, ${printable(server)}\n`);
  if (passedOver !== undefined) io.err(`the folder ${passedOver} here is not meant: --data ${passedOver} means it\n`);
}
