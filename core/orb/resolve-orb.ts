import type { OrbId } from '../manifest/orb-id.ts';

/** Lookup of Orbs; the catalogue implements it. */
export interface OrbLookup<Entry> {
  readonly orb: (namespace: string, orbId: OrbId) => Entry | undefined;
}

export type Resolution<Entry> =
  | { readonly kind: 'found'; readonly entry: Entry }
  /** The Orb exists, but `Orbiset.spec.orbs` does not list it. */
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'unknown' };

/**
 * Whether a list of `org.name` and `org.name@version` names this Orb. Used for `Orbiset.spec.orbs` and `orbs` of an API
 * key.
 */
export function listsOrb(list: readonly string[], orbId: OrbId): boolean {
  const name = orbId.slice(0, orbId.indexOf('@'));
  return list.includes(orbId) || list.includes(name);
}

/**
 * Finds the Orb that a run names (design.md §2): first in the Orbiset's namespace, then in the platform namespace if
 * listed.
 * @param orbiset where the run takes place, with the foreign Orbs that it lists
 */
export function resolveOrb<Entry>(
  lookup: OrbLookup<Entry>,
  orbiset: { readonly namespace: string; readonly orbs: readonly string[] },
  orbId: OrbId,
  platformNamespace: string,
): Resolution<Entry> {
  const own = lookup.orb(orbiset.namespace, orbId);
  if (own !== undefined) return { kind: 'found', entry: own };
  const shared = lookup.orb(platformNamespace, orbId);
  if (shared === undefined) return { kind: 'unknown' };
  return listsOrb(orbiset.orbs, orbId) ? { kind: 'found', entry: shared } : { kind: 'not-allowed' };
}
