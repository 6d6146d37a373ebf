import type { BinaryName } from './build.ts';

/** What a control plane starts with comes first; kubectl, which only people and the installation need, comes last. */
const ORDER: readonly BinaryName[] = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
];

/** The wanted binaries, each once, in the order in which they are built. */
export const buildOrder = (names: readonly BinaryName[]): readonly BinaryName[] =>
  ORDER.filter((name) => names.includes(name));

/** Minutes that the four binaries of a control plane took on two cores that had other work too. */
const MEASURED = { minutes: 24, cores: 2, binaries: 4 } as const;
/** Fetching the sources does not become faster with more cores. */
const LEAST_MINUTES = 5;

/**
 * How long a build may take, from a measurement. @param cores of this machine
 * @example buildEstimate(4, 2) → 'up to 24 minutes on 2 cores'
 */
export function buildEstimate(binaries: number, cores: number): string {
  const { minutes, cores: measured, binaries: built } = MEASURED;
  const expected = Math.ceil((minutes * measured * binaries) / (built * cores));
  return `up to ${Math.max(LEAST_MINUTES, expected)} minutes on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}
