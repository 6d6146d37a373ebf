import { KINDS } from '../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';

/** Names of this process's Pod, from the downward API. */
export interface PodEnvironment {
  readonly POD_NAME?: string | undefined;
  readonly POD_NAMESPACE?: string | undefined;
  readonly POD_UID?: string | undefined;
}

/**
 * What Events about the manifest folder hang on, as a file is no object: the operator's Pod, and without one its Lease
 * (design.md §2, manifest loader).
 * @returns a function that answers undefined while there is neither
 */
export function reportTarget(
  environment: PodEnvironment,
  client: Pick<KubeClient, 'get'>,
  lease: ObjectRef,
): (signal: AbortSignal) => Promise<KubeObject | undefined> {
  const { POD_NAME: name, POD_NAMESPACE: namespace, POD_UID: uid } = environment;
  if (name === undefined || namespace === undefined || uid === undefined)
    return (signal) => client.get(KINDS.lease, lease, signal);
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid } };
  return () => Promise.resolve(pod);
}
