import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { Catalog, OrbEntry } from './port.ts';

/** One Orb resource with what decides who holds its id. */
export interface OrbResource extends OrbEntry {
  /** Ms since epoch; the oldest of a namespace holds the id, then the lower name (design.md §2). */
  readonly createdAt: number;
}

const older = (a: OrbResource, b: OrbResource): number => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The catalogue of one process: written by a watcher or by reflectors, read by runs. Not persistent. */
export class MemoryCatalog implements Catalog {
  readonly #orbs = new Map<string, OrbResource>();
  readonly #holders = new Map<string, OrbResource>();
  readonly #orbisets = new Map<string, CompiledOrbiset>();

  readonly orb = (namespace: string, orbId: OrbId): OrbEntry | undefined => this.#holders.get(keyOf(namespace, orbId));

  readonly orbiset = (namespace: string, name: string): CompiledOrbiset | undefined =>
    this.#orbisets.get(keyOf(namespace, name));

  readonly orbs = (namespace: string): readonly OrbEntry[] =>
    [...this.#holders.values()].filter((entry) => entry.namespace === namespace);

  /** Adds or replaces one Orb resource. */
  setOrb(resource: OrbResource): void {
    const key = keyOf(resource.namespace, resource.name);
    const before = this.#orbs.get(key);
    this.#orbs.set(key, resource);
    if (before !== undefined && before.orbId !== resource.orbId) this.#elect(before);
    this.#elect(resource);
  }

  /** Removes one; another resource with the same id, if there is one, holds it from now on. */
  removeOrb(namespace: string, name: string): void {
    const before = this.#orbs.get(keyOf(namespace, name));
    if (before === undefined) return;
    this.#orbs.delete(keyOf(namespace, name));
    this.#elect(before);
  }

  setOrbiset(orbiset: CompiledOrbiset): void {
    this.#orbisets.set(keyOf(orbiset.namespace, orbiset.name), orbiset);
  }

  removeOrbiset(namespace: string, name: string): void {
    this.#orbisets.delete(keyOf(namespace, name));
  }

  #elect({ namespace, orbId }: OrbResource): void {
    const candidates = [...this.#orbs.values()].filter((orb) => orb.namespace === namespace && orb.orbId === orbId);
    const holder = candidates.toSorted(older)[0];
    if (holder === undefined) this.#holders.delete(keyOf(namespace, orbId));
    else this.#holders.set(keyOf(namespace, orbId), holder);
  }
}
