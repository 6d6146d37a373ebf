import { claimableIds } from '../../../core/orb/plan-holder.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';

type Index = (object: KubeObject) => readonly string[];

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
const byNamespace: Index = (object) => [namespaceOf(object)];

/** The names by which a list may include an Orb: its id, or its name for every version. @param orbId may be any text */
export function namesOfId(orbId: string): readonly string[] {
  const at = orbId.indexOf('@');
  return at < 0 ? [] : [orbId, orbId.slice(0, at)];
}

/** The names of every id that an Orb may claim. Its manifest decides which one it claims (`claimOf`). */
export const namesOfOrb = (orb: KubeObject): readonly string[] => [
  ...new Set([...claimableIds(orb)].flatMap((orbId) => namesOfId(orbId))),
];

/** Key of an Orb in the index `orb`. @param name `org.name` or `org.name@version` */
export const orbPlace = (namespace: string, name: string): string => `${namespace}/${name}`;

/** `orb`: `namespace/org.name` and `namespace/org.name@version`. */
export const ORB_INDEXES = {
  namespace: byNamespace,
  orb: (orb: KubeObject): readonly string[] => namesOfOrb(orb).map((name) => orbPlace(namespaceOf(orb), name)),
} as const satisfies Readonly<Record<string, Index>>;
