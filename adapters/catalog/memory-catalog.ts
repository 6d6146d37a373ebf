import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
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

/** Must not throw. */
type OrbListener = (namespace: string, orbId: OrbId) => void;

/** Lays what is decided of an Orb elsewhere over the version that its resource has. */
type Lay = (orb: CompiledOrb) => CompiledOrb;

/** What may be decided beside the resource, each by its own writer; a later one sees what the one before laid. */
const LAYERS = ['pin', 'failover'] as const;
type Layer = (typeof LAYERS)[number];

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
  readonly #layers = new Map<string, ReadonlyMap<Layer, Lay>>();
  readonly #orbisets = new Map<string, CompiledOrbiset>();
  /** By namespace: who asks for the only one must not look through all. */
  readonly #tenants = new Map<string, Map<string, CompiledOrbiset>>();
  readonly #listeners = new Set<OrbListener>();

  readonly orb = (namespace: string, orbId: OrbId): OrbEntry | undefined => this.#holders.get(keyOf(namespace, orbId));

  readonly orbiset = (namespace: string, name: string): CompiledOrbiset | undefined =>
    this.#orbisets.get(keyOf(namespace, name));

  /** Undefined: there is none, or more than one. */
  readonly onlyOrbiset = (namespace: string): CompiledOrbiset | undefined => {
    const [first, second] = this.#tenants.get(namespace)?.values() ?? [];
    return second === undefined ? first : undefined;
  };

  /** Every Orb that holds its id, of all namespaces. */
  readonly all = (): Iterable<OrbEntry> => this.#holders.values();

  /** Tells of every Orb that may have changed, or gone, after it did. @returns how to end it */
  readonly watch = (listener: OrbListener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

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

  /** The version of the resource that holds this id, with nothing laid over it. */
  bare(namespace: string, orbId: OrbId): CompiledOrb | undefined {
    return this.#holderOf(keyOf(namespace, orbId))?.compiled;
  }

  /**
   * From now on this is laid over every version that holds the id, also of a resource that comes later: for processes whose
   * resources are read-only. @param lay undefined: nothing any more
   */
  lay(orb: Pick<OrbResource, 'namespace' | 'orbId'>, layer: Layer, lay: Lay | undefined): void {
    const id = keyOf(orb.namespace, orb.orbId);
    const layers = new Map(this.#layers.get(id));
    if (lay === undefined) layers.delete(layer);
    else layers.set(layer, lay);
    if (layers.size === 0) this.#layers.delete(id);
    else this.#layers.set(id, layers);
    this.#elect(orb);
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
    else this.#holders.set(id, this.#laid(id, holder));
    for (const listener of this.#listeners) listener(namespace, orbId);
  }

  #laid(id: string, holder: OrbResource): OrbResource {
    const layers = this.#layers.get(id);
    if (layers === undefined || holder.compiled === undefined) return holder;
    const laid = LAYERS.map((layer) => layers.get(layer)).reduce((orb, lay) => lay?.(orb) ?? orb, holder.compiled);
    return { ...holder, compiled: laid };
  }
}
