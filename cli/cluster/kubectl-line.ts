import { shellWord } from '../../core/shell/shell-word.ts';
import type { Cluster, ClusterSelection } from '../io/cluster.ts';

/**
 * `kubectl` with flags that name the open cluster, for lines that people paste. The line reaches this cluster even when
 * another context is current in the kubeconfig by then.
 */
export function kubectlOf({ kubeconfig }: ClusterSelection, { context }: Pick<Cluster, 'context'>): string {
  const file = kubeconfig === undefined ? [] : [`--kubeconfig ${shellWord(kubeconfig)}`];
  const named = context === undefined ? [] : [`--context ${shellWord(context)}`];
  return ['kubectl', ...file, ...named].join(' ');
}
