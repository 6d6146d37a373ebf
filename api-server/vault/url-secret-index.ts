import { isDeepStrictEqual } from 'node:util';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { OrbEntry } from '../../adapters/catalog/port.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { urlSecretsOf, type UrlSecret } from '../../core/orb/url-secrets.ts';
import { resolveOrb } from '../../core/orb/resolve-orb.ts';
import type { EntryInUrl } from '../../core/orb/vault-status.ts';
import type { PublishedVersions } from '../../core/run/published.ts';
import { isInUrl, UrlSecretGroups, type AllowedHosts } from './url-secret-groups.ts';

export interface UrlSecretIndexDeps {
  readonly catalog: Pick<MemoryCatalog, 'orb' | 'all' | 'watch'>;
  readonly platformNamespace: string;
  readonly published: PublishedVersions['version'];
  /**
   * Orbisets that may run this Orb may have other entries in URLs. Must not throw.
   * @param isShared Orbisets of other namespaces may run it where they list it
   */
  readonly onChange: (namespace: string, orbId: OrbId, isShared: boolean) => void;
}

/** The part of an Orbiset that decides which of its entries are in URLs. */
export interface VaultReach {
  readonly hosts: AllowedHosts;
  /** Orbs of other namespaces that may run here: `org.name` or `org.name@version`. */
  readonly orbs: readonly string[];
}

const NO_USES: readonly UrlSecret[] = [];
const keyOf = (namespace: string, orbId: OrbId): string => `${namespace}/${orbId}`;
const digestOf = ({ compiled }: OrbEntry): string | undefined => compiled?.digest;

/** The names by which `Orbiset.spec.orbs` may list an Orb. */
export const listedNames = (orbId: OrbId): readonly string[] => [orbId, orbId.slice(0, orbId.indexOf('@'))];

/** Sorted by entry, each with its lowest Orb id, so that the same facts always give the same message. */
function lowestByEntry(found: Iterable<EntryInUrl>): readonly EntryInUrl[] {
  const lowest = new Map<string, EntryInUrl>();
  for (const use of found) {
    const before = lowest.get(use.entry);
    if (before === undefined || use.orbId < before.orbId) lowest.set(use.entry, use);
  }
  return [...lowest.values()].toSorted((one, other) => (one.entry < other.entry ? -1 : 1));
}

/**
 * Which vault entries the running Orbs send in URLs (security.md S2). A lookup costs the entries of one vault, each with
 * the hosts that URLs take it to, and the listed Orbs. It does not depend on the number of Orbs in a namespace.
 */
export class UrlSecretIndex {
  readonly #deps: UrlSecretIndexDeps;
  /** Every Orb that holds its id, also without secrets in URLs. */
  readonly #orbs = new Map<string, readonly UrlSecret[]>();
  readonly #groups = new UrlSecretGroups();
  /** Listed name → Orbs with secrets in URLs → number of namespaces that hold one. */
  readonly #byName = new Map<string, Map<OrbId, number>>();
  /** Published Orbs with secrets in URLs that were reported. */
  readonly #reported = new Set<OrbId>();
  readonly #unwatch: () => void;

  constructor(deps: UrlSecretIndexDeps) {
    this.#deps = deps;
    for (const { namespace, orbId } of deps.catalog.all()) this.#update(namespace, orbId);
    this.#unwatch = deps.catalog.watch((namespace, orbId) => this.#update(namespace, orbId));
  }

  /** Entries that Orbs of this Orbiset may send in a URL, sorted by name, each with its lowest Orb id. */
  entriesOf(namespace: string, reach: VaultReach): readonly EntryInUrl[] {
    return lowestByEntry([...this.#groups.find(namespace, reach.hosts), ...this.#listed(namespace, reach)]);
  }

  /** Follows the catalogue no longer. */
  stop(): void {
    this.#unwatch();
  }

  /** Versions were published, or changed. What a publication shares never changes, so each one is reported once. */
  published(orbIds: Iterable<string>): void {
    for (const text of orbIds) {
      const parsed = parseOrbId(text);
      const version = this.#deps.published(text);
      if (!parsed.ok || version === undefined || this.#reported.has(parsed.value)) continue;
      if (this.#uses(version.namespace, parsed.value).length === 0) continue;
      this.#reported.add(parsed.value);
      this.#deps.onChange(version.namespace, parsed.value, true);
    }
  }

  #uses(namespace: string, orbId: OrbId): readonly UrlSecret[] {
    return this.#orbs.get(keyOf(namespace, orbId)) ?? NO_USES;
  }

  /** Of listed Orbs of other namespaces: those that runs of this one resolve to (design.md §2). */
  *#listed(namespace: string, { hosts, orbs }: VaultReach): Generator<EntryInUrl> {
    const { catalog, platformNamespace, published } = this.#deps;
    const shared = { platformNamespace, published, digestOf };
    for (const orbId of orbs.flatMap((name) => [...(this.#byName.get(name)?.keys() ?? [])])) {
      const found = resolveOrb(catalog, { namespace, orbs }, orbId, shared);
      if (found.kind !== 'found' || found.entry.namespace === namespace) continue;
      for (const use of this.#uses(found.entry.namespace, orbId))
        if (isInUrl(hosts, use)) yield { entry: use.entry, orbId };
    }
  }

  #update(namespace: string, orbId: OrbId): void {
    const before = this.#orbs.get(keyOf(namespace, orbId));
    const holder = this.#deps.catalog.orb(namespace, orbId);
    const after = holder && (holder.compiled === undefined ? NO_USES : urlSecretsOf(holder.compiled));
    if (isDeepStrictEqual(before, after) && !this.#isPublishing(namespace, orbId)) return;
    this.#replace(namespace, orbId, after);
    const affected = [before ?? NO_USES, after ?? NO_USES, ...this.#hidden(orbId)];
    const isShared = namespace === this.#deps.platformNamespace || this.#isPublishing(namespace, orbId);
    if (affected.some((uses) => uses.length > 0)) this.#deps.onChange(namespace, orbId, isShared);
  }

  /** Whether the namespace published the id: then other bytes of its Orb end what is shared, and the same bring it back. */
  #isPublishing(namespace: string, orbId: OrbId): boolean {
    return this.#deps.published(orbId)?.namespace === namespace;
  }

  /** What runs of a namespace send that has no Orb of this id. */
  #hidden(orbId: OrbId): readonly (readonly UrlSecret[])[] {
    const { platformNamespace, published } = this.#deps;
    const publisher = published(orbId)?.namespace;
    const platform = this.#uses(platformNamespace, orbId);
    return publisher === undefined ? [platform] : [platform, this.#uses(publisher, orbId)];
  }

  /** @param uses undefined: the Orb is gone */
  #replace(namespace: string, orbId: OrbId, uses: readonly UrlSecret[] | undefined): void {
    const key = keyOf(namespace, orbId);
    const before = this.#orbs.get(key) ?? NO_USES;
    for (const use of before) this.#groups.delete(namespace, orbId, use);
    if (uses === undefined) this.#orbs.delete(key);
    else this.#orbs.set(key, uses);
    for (const use of uses ?? NO_USES) this.#groups.add(namespace, orbId, use);
    this.#count(orbId, Number((uses ?? NO_USES).length > 0) - Number(before.length > 0));
  }

  #count(orbId: OrbId, change: number): void {
    for (const name of listedNames(orbId)) {
      const ids = this.#byName.get(name) ?? new Map<OrbId, number>();
      const count = (ids.get(orbId) ?? 0) + change;
      if (count > 0) this.#byName.set(name, ids.set(orbId, count));
      else if (ids.delete(orbId) && ids.size === 0) this.#byName.delete(name);
    }
  }
}
