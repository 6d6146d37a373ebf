import type { Store } from '../adapters/kube/port.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';

/** The object of a key, unless it is gone or going: then nothing is left to say of it. */
export function liveObject(store: Pick<Store, 'get'>, key: string): KubeObject | undefined {
  const object = store.get(key);
  return object?.metadata.deletionTimestamp === undefined ? object : undefined;
}
