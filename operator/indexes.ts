import { claimable } from '../core/orb/plan-holder.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';
import { specOf } from '../core/reconcile/read-object.ts';

type Index = (object: KubeObject) => readonly string[];

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
const byNamespace: Index = (object) => [namespaceOf(object)];

/** Orbs that `Orbiset.spec.orbs` lists: `org.name` or `org.name@version`. */
export function listedOrbs(orbiset: KubeObject): readonly string[] {
  const { orbs } = specOf(orbiset);
  return Array.isArray(orbs) ? orbs.filter((entry) => typeof entry === 'string') : [];
}

/** How a list may name an Orb: by its id, or by its name for every version. @param orbId may be any text */
export function namesOfId(orbId: string): readonly string[] {
  const at = orbId.indexOf('@');
  return at < 0 ? [] : [orbId, orbId.slice(0, at)];
}

/** The names of every id that an Orb may claim; which one it does, its manifest decides (`claimOf`). */
export const namesOfOrb = (orb: KubeObject): readonly string[] => [
  ...new Set([...claimable(orb)].flatMap((orbId) => namesOfId(orbId))),
];

/** Place of an Orb in the index `orb`. @param name `org.name` or `org.name@version` */
export const orbPlace = (namespace: string, name: string): string => `${namespace}/${name}`;

/** `orb`: `namespace/org.name` and `namespace/org.name@version`. */
export const ORB_INDEXES = {
  namespace: byNamespace,
  orb: (orb: KubeObject): readonly string[] => namesOfOrb(orb).map((name) => orbPlace(namespaceOf(orb), name)),
} as const satisfies Readonly<Record<string, Index>>;

export const ORBISET_INDEXES = { namespace: byNamespace, lists: listedOrbs } as const satisfies Readonly<
  Record<string, Index>
>;

export const BINDING_INDEXES = { namespace: byNamespace } as const satisfies Readonly<Record<string, Index>>;
