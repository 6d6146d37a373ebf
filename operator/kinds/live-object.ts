import type { Store } from '../../adapters/kube/port.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

/**
 * The object of a key, unless it is deleted or being deleted: then no status is needed. An object without a uid is also
 * skipped; only a direct write into etcd creates it. The API server treats each apply to it as a create, so writers
 * undo each other.
 */
export function liveObject(store: Pick<Store, 'get'>, key: string): KubeObject | undefined {
  const object = store.get(key);
  if (object?.metadata.uid === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
  return object;
}
