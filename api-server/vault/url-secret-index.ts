import { isDeepStrictEqual } from 'node:util';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { urlSecretsOf, type UrlSecret } from '../../core/orb/url-secrets.ts';
import type { EntryInUrl } from '../../core/orb/vault-status.ts';
import { isInUrl, UrlSecretGroups, type AllowedHosts } from './url-secret-groups.ts';

export interface UrlSecretIndexDeps {
  readonly catalog: Pick<MemoryCatalog, 'orb' | 'all' | 'watch'>;
  readonly platformNamespace: string;
  /** Orbisets that may run this Orb may have other entries in URLs. Must not throw. */
  readonly onChange: (namespace: string, orbId: OrbId) => void;
}

/** The part of an Orbiset that decides which of its entries are in URLs. */
export interface VaultReach {
  readonly hosts: AllowedHosts;
  /** Orbs of the platform namespace that may run here: `org.name` or `org.name@version`. */
  readonly orbs: readonly string[];
}

const NO_IDS: ReadonlySet<OrbId> = new Set();
const NO_USES: readonly UrlSecret[] = [];
const keyOf = (namespace: string, orbId: OrbId): string => `${namespace}/${orbId}`;

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
  /** Every Orb that holds its id, also without secrets in URLs: it hides the platform's Orb of that id. */
  readonly #orbs = new Map<string, readonly UrlSecret[]>();
  readonly #groups = new UrlSecretGroups();
  /** Listed name → Orbs of the platform namespace with secrets in URLs. */
  readonly #shared = new Map<string, Set<OrbId>>();
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

  #platformUses(orbId: OrbId): readonly UrlSecret[] {
    return this.#orbs.get(keyOf(this.#deps.platformNamespace, orbId)) ?? NO_USES;
  }

  /** Of the platform's Orbs that are listed. The namespace's own Orb of the same id runs instead (design.md §2). */
  *#listed(namespace: string, { hosts, orbs }: VaultReach): Generator<EntryInUrl> {
    for (const orbId of orbs.flatMap((name) => [...(this.#shared.get(name) ?? NO_IDS)])) {
      if (this.#orbs.has(keyOf(namespace, orbId))) continue;
      for (const use of this.#platformUses(orbId)) if (isInUrl(hosts, use)) yield { entry: use.entry, orbId };
    }
  }

  #update(namespace: string, orbId: OrbId): void {
    const before = this.#orbs.get(keyOf(namespace, orbId));
    const holder = this.#deps.catalog.orb(namespace, orbId);
    const after = holder && (holder.compiled === undefined ? NO_USES : urlSecretsOf(holder.compiled));
    if (isDeepStrictEqual(before, after)) return;
    this.#replace(namespace, orbId, after);
    const affected = [before ?? NO_USES, after ?? NO_USES, this.#platformUses(orbId)];
    if (affected.some((uses) => uses.length > 0)) this.#deps.onChange(namespace, orbId);
  }

  /** @param uses undefined: the Orb is gone */
  #replace(namespace: string, orbId: OrbId, uses: readonly UrlSecret[] | undefined): void {
    const key = keyOf(namespace, orbId);
    for (const use of this.#orbs.get(key) ?? NO_USES) this.#groups.delete(namespace, orbId, use);
    if (uses === undefined) this.#orbs.delete(key);
    else this.#orbs.set(key, uses);
    for (const use of uses ?? NO_USES) this.#groups.add(namespace, orbId, use);
    if (namespace === this.#deps.platformNamespace) this.#share(orbId, uses ?? NO_USES);
  }

  #share(orbId: OrbId, uses: readonly UrlSecret[]): void {
    for (const name of listedNames(orbId)) {
      const ids = this.#shared.get(name) ?? new Set<OrbId>();
      if (uses.length > 0) this.#shared.set(name, ids.add(orbId));
      else if (ids.delete(orbId) && ids.size === 0) this.#shared.delete(name);
    }
  }
}
