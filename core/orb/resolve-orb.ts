import type { OrbId } from '../manifest/orb-id.ts';

/** Lookup of Orbs; the catalogue implements it. */
export interface OrbLookup<Entry> {
  readonly orb: (namespace: string, orbId: OrbId) => Entry | undefined;
}

export type Resolution<Entry> =
  | { readonly kind: 'found'; readonly entry: Entry }
  /** The Orb of a publication has other bytes than were published. */
  | { readonly kind: 'differs' }
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

/** Where Orbs of other namespaces are found. */
export interface SharedOrbs<Entry> {
  /** Namespace of Orbs that the platform shares. */
  readonly platformNamespace: string;
  /** The version that was published under an id. Yanked ones are among them: copies in use go on. */
  readonly published: (orbId: OrbId) => { readonly namespace: string; readonly manifestDigest: string } | undefined;
  /** Digest of what an Orb runs; undefined: it was never valid. */
  readonly digestOf: (entry: Entry) => string | undefined;
}

function sharedOrb<Entry>(
  lookup: OrbLookup<Entry>,
  orbId: OrbId,
  { platformNamespace, published, digestOf }: SharedOrbs<Entry>,
): Resolution<Entry> {
  const version = published(orbId);
  const entry = version && lookup.orb(version.namespace, orbId);
  if (entry !== undefined) {
    const digest = digestOf(entry);
    // An Orb that was never valid runs nothing, so it is reported as not ready.
    return digest === undefined || digest === version?.manifestDigest ? { kind: 'found', entry } : { kind: 'differs' };
  }
  const shared = lookup.orb(platformNamespace, orbId);
  return shared === undefined ? { kind: 'unknown' } : { kind: 'found', entry: shared };
}

/**
 * Finds the Orb that a run names (design.md §2): in the Orbiset's namespace; else, if the Orbiset lists it, that of its
 * publication, with the published bytes only; else that of the platform namespace.
 * @param orbiset where the run takes place, with the foreign Orbs that it lists
 */
export function resolveOrb<Entry>(
  lookup: OrbLookup<Entry>,
  orbiset: { readonly namespace: string; readonly orbs: readonly string[] },
  orbId: OrbId,
  shared: SharedOrbs<Entry>,
): Resolution<Entry> {
  const own = lookup.orb(orbiset.namespace, orbId);
  if (own !== undefined) return { kind: 'found', entry: own };
  const found = sharedOrb(lookup, orbId, shared);
  return found.kind === 'unknown' || listsOrb(orbiset.orbs, orbId) ? found : { kind: 'not-allowed' };
}
