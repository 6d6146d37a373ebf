import type { OrbId } from '../manifest/orb-id.ts';

/** Where Orbs are looked up; the catalogue fits. */
export interface OrbLookup<Entry> {
  readonly orb: (namespace: string, orbId: OrbId) => Entry | undefined;
}

export type Resolution<Entry> =
  | { readonly kind: 'found'; readonly entry: Entry }
  /** Known to the platform, but `Orbiset.spec.orbs` does not list it. */
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'unknown' };

/**
 * Whether a list of `org.name` and `org.name@version` names this Orb: `Orbiset.spec.orbs`, and `orbs` of an API key.
 */
export function listsOrb(list: readonly string[], orbId: OrbId): boolean {
  const name = orbId.slice(0, orbId.indexOf('@'));
  return list.includes(orbId) || list.includes(name);
}

/**
 * Which Orb a run means (design.md §2): the Orbiset's own namespace, else the platform namespace if listed.
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
