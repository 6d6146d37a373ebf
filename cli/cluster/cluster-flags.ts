import type { Flag } from '../../adapters/process/flag.ts';

/** Namespace where the platform runs by default (design.md §2). */
export const PLATFORM_NAMESPACE = 'orb-system';

export const CONTEXT_FLAGS: readonly Flag[] = [
  { name: 'kubeconfig', value: 'FILE', text: 'cluster: this file (KUBECONFIG, else ~/.kube/config)' },
  { name: 'context', value: 'NAME', text: 'cluster: this context of the kubeconfig' },
];

/** Flags of verbs that write to the platform namespace. */
const PLATFORM_FLAG: Flag = {
  name: 'platform-namespace',
  value: 'NAME',
  text: `cluster: namespace of the platform (${PLATFORM_NAMESPACE})`,
};

/** Flags of verbs that talk to the API of a cluster. */
export const CALLER_FLAG: Flag = {
  name: 'as-serviceaccount',
  value: 'NS/NAME',
  text: 'cluster: call as this ServiceAccount, with a token created for it',
};

export const CLUSTER_FLAGS: readonly Flag[] = [...CONTEXT_FLAGS, PLATFORM_FLAG];
