import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { byRank, type ClaimRank } from '../../core/orb/plan-holder.ts';
import type { Catalog, OrbEntry } from './port.ts';

/** One Orb resource, with the facts that decide which resource holds its id. */
export interface OrbResource extends OrbEntry {
  /**
   * Ms since epoch. The oldest resource of a namespace holds the id; at the same age, the lower name (design.md §2).
   */
  readonly createdAt: number;
  /** Whether it ranks as valid; default: whether it has a version to run. */
  readonly isValid?: boolean;
}

/** Must not throw. */
type OrbListener = (namespace: string, orbId: OrbId) => void;

const rankOf = ({ name, createdAt, compiled, isValid = compiled !== undefined }: OrbResource): ClaimRank => ({
  name,
  createdAt,
  isValid,
});
const byHolding = (one: OrbResource, other: OrbResource): number => byRank(rankOf(one), rankOf(other));
const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The catalogue of one process: written by a watcher or by reflectors, read by runs. Not persistent. */
export class MemoryCatalog implements Catalog {
  readonly #orbs = new Map<string, OrbResource>();
  /** Every resource that claims an id, by its key, so that an election is quick with 10 000 Orbs. */
  readonly #claims = new Map<string, Map<string, OrbResource>>();
  readonly #holders = new Map<string, OrbResource>();
  readonly #orbisets = new Map<string, CompiledOrbiset>();
  /** By namespace, so that finding the only Orbiset of a namespace does not search all of them. */
  readonly #tenants = new Map<string, Map<string, CompiledOrbiset>>();
  /** By who reported them: one object, or the folder of files. */
  readonly #invalid = new Map<string, readonly InvalidSource[]>();
  readonly #listeners = new Set<OrbListener>();

  readonly orb = (namespace: string, orbId: OrbId): OrbEntry | undefined => this.#holders.get(keyOf(namespace, orbId));

  readonly orbiset = (namespace: string, name: string): CompiledOrbiset | undefined =>
    this.#orbisets.get(keyOf(namespace, name));

  readonly orbisets = (namespace: string): readonly CompiledOrbiset[] => [
    ...(this.#tenants.get(namespace)?.values() ?? []),
  ];

  /** Undefined when the namespace has no Orbiset, or more than one. */
  readonly onlyOrbiset = (namespace: string): CompiledOrbiset | undefined => {
    const [first, second] = this.#tenants.get(namespace)?.values() ?? [];
    return second === undefined ? first : undefined;
  };

  /** Every Orb that holds its id, of all namespaces. */
  readonly all = (): Iterable<OrbEntry> => this.#holders.values();

  readonly invalid = (namespace: string): readonly InvalidSource[] =>
    [...this.#invalid.values()].flatMap((sources) => sources.filter((source) => source.namespace === namespace));

  /** Replaces what one reporter found: `Orb namespace/name`, or `files`. */
  setInvalid(reporter: string, sources: readonly InvalidSource[]): void {
    if (sources.length === 0) this.#invalid.delete(reporter);
    else this.#invalid.set(reporter, sources);
  }

  /**
   * Calls the listener for every Orb that may have changed or is gone, after the change.
   * @returns a function that ends the watch
   */
  readonly watch = (listener: OrbListener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Adds or replaces one Orb resource. */
  setOrb(resource: OrbResource): void {
    const { namespace, name, orbId } = resource;
    const key = keyOf(namespace, name);
    const before = this.#orbs.get(key);
    this.#orbs.set(key, resource);
    if (before !== undefined && before.orbId !== orbId) this.#withdraw(key, before);
    const claims = this.#claims.get(keyOf(namespace, orbId)) ?? new Map<string, OrbResource>();
    this.#claims.set(keyOf(namespace, orbId), claims.set(key, resource));
    this.#elect(resource);
  }

  /** Removes an Orb resource. If another resource claims the same id, it holds the id from now on. */
  removeOrb(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    const before = this.#orbs.get(key);
    if (before === undefined) return;
    this.#orbs.delete(key);
    this.#withdraw(key, before);
  }

  setOrbiset(orbiset: CompiledOrbiset): void {
    const { namespace, name } = orbiset;
    this.#orbisets.set(keyOf(namespace, name), orbiset);
    const tenant = this.#tenants.get(namespace) ?? new Map<string, CompiledOrbiset>();
    this.#tenants.set(namespace, tenant.set(name, orbiset));
  }

  removeOrbiset(namespace: string, name: string): void {
    this.#orbisets.delete(keyOf(namespace, name));
    const tenant = this.#tenants.get(namespace);
    tenant?.delete(name);
    if (tenant?.size === 0) this.#tenants.delete(namespace);
  }

  #withdraw(key: string, before: OrbResource): void {
    const id = keyOf(before.namespace, before.orbId);
    const claims = this.#claims.get(id);
    claims?.delete(key);
    if (claims?.size === 0) this.#claims.delete(id);
    this.#elect(before);
  }

  #holderOf(id: string): OrbResource | undefined {
    return [...(this.#claims.get(id)?.values() ?? [])].toSorted(byHolding)[0];
  }

  #elect({ namespace, orbId }: Pick<OrbResource, 'namespace' | 'orbId'>): void {
    const id = keyOf(namespace, orbId);
    const holder = this.#holderOf(id);
    if (holder === undefined) this.#holders.delete(id);
    else this.#holders.set(id, holder);
    for (const listener of this.#listeners) listener(namespace, orbId);
  }
}
