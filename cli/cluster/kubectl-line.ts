import type { Cluster, ClusterWish } from './cluster.ts';

/** One word of a line for a POSIX shell. */
export const quote = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * `kubectl` with flags that mean the cluster which is open now, for lines that people paste: whatever is current in their
 * kubeconfig by then, a line goes nowhere else.
 */
export function kubectlOf({ kubeconfig }: ClusterWish, { context }: Pick<Cluster, 'context'>): string {
  const file = kubeconfig === undefined ? [] : [`--kubeconfig ${quote(kubeconfig)}`];
  const named = context === undefined ? [] : [`--context ${quote(context)}`];
  return ['kubectl', ...file, ...named].join(' ');
}
