import type { Store } from '../adapters/kube/port.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';

/**
 * The object of a key, unless it is gone or going: then nothing is left to say of it. Nor is anything said of one without a
 * uid, which only a write into etcd makes: the API server takes each apply to it for a create, so writers undo each other.
 */
export function liveObject(store: Pick<Store, 'get'>, key: string): KubeObject | undefined {
  const object = store.get(key);
  if (object?.metadata.uid === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
  return object;
}
