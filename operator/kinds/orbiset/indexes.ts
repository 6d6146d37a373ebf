import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { specOf } from '../../../core/reconcile/read-object.ts';

/** Orbs that `Orbiset.spec.orbs` lists: `org.name` or `org.name@version`. */
export function listedOrbs(orbiset: KubeObject): readonly string[] {
  const { orbs } = specOf(orbiset);
  return Array.isArray(orbs) ? orbs.filter((entry) => typeof entry === 'string') : [];
}

/** `namespace`, and `lists`: each entry of `spec.orbs`. */
export const ORBISET_INDEXES = {
  namespace: ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''],
  lists: listedOrbs,
} as const;
