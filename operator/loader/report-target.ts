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
 * The object that Events about the manifest folder refer to, as a file is not an object. It is the operator's Pod, or
 * its Lease without a Pod (design.md §2, manifest loader).
 * @returns a function that returns undefined while neither exists
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
