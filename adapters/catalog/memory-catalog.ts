import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { byRank, type Rank } from '../../core/orb/plan-holder.ts';
import type { Catalog, OrbEntry } from './port.ts';

/** One Orb resource with what decides who holds its id. */
export interface OrbResource extends OrbEntry {
  /** Ms since epoch; the oldest of a namespace holds the id, then the lower name (design.md §2). */
  readonly createdAt: number;
  /** Whether a valid version decides its rank; default: whether there is one to run. */
  readonly isValid?: boolean;
}

const rankOf = ({ name, createdAt, compiled, isValid = compiled !== undefined }: OrbResource): Rank => ({
  name,
  createdAt,
  isValid,
});
const byHolding = (one: OrbResource, other: OrbResource): number => byRank(rankOf(one), rankOf(other));
const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The catalogue of one process: written by a watcher or by reflectors, read by runs. Not persistent. */
export class MemoryCatalog implements Catalog {
  readonly #orbs = new Map<string, OrbResource>();
  /** Every resource that claims an id, by its key: electing costs nothing with 10 000 Orbs. */
  readonly #claims = new Map<string, Map<string, OrbResource>>();
  readonly #holders = new Map<string, OrbResource>();
  readonly #orbisets = new Map<string, CompiledOrbiset>();

  readonly orb = (namespace: string, orbId: OrbId): OrbEntry | undefined => this.#holders.get(keyOf(namespace, orbId));

  readonly orbiset = (namespace: string, name: string): CompiledOrbiset | undefined =>
    this.#orbisets.get(keyOf(namespace, name));

  readonly orbs = (namespace: string): readonly OrbEntry[] =>
    [...this.#holders.values()].filter((entry) => entry.namespace === namespace);

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

  /** Removes one; another resource with the same id, if there is one, holds it from now on. */
  removeOrb(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    const before = this.#orbs.get(key);
    if (before === undefined) return;
    this.#orbs.delete(key);
    this.#withdraw(key, before);
  }

  setOrbiset(orbiset: CompiledOrbiset): void {
    this.#orbisets.set(keyOf(orbiset.namespace, orbiset.name), orbiset);
  }

  removeOrbiset(namespace: string, name: string): void {
    this.#orbisets.delete(keyOf(namespace, name));
  }

  #withdraw(key: string, before: OrbResource): void {
    const id = keyOf(before.namespace, before.orbId);
    const claims = this.#claims.get(id);
    claims?.delete(key);
    if (claims?.size === 0) this.#claims.delete(id);
    this.#elect(before);
  }

  #elect({ namespace, orbId }: OrbResource): void {
    const id = keyOf(namespace, orbId);
    const holder = [...(this.#claims.get(id)?.values() ?? [])].toSorted(byHolding)[0];
    if (holder === undefined) this.#holders.delete(id);
    else this.#holders.set(id, holder);
  }
}
