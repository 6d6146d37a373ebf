import type { Manifest, ValueType } from '../../crds/manifest.ts';

/** What an execution leaves behind, from the weakest to the strongest. */
export type Effect = NonNullable<Manifest['effect']>;

/** Members of an entry that later versions replace. An entry is never removed (trust.md §8.2). */
interface Replaceable {
  readonly deprecated?: true;
  /** Name of another entry of the same table; present when `deprecated` is. */
  readonly replaced_by?: string;
}

/** What an input or an output means. */
export interface Term extends Replaceable {
  /** JSON types that a value may have. */
  readonly types: readonly ValueType[];
  readonly sensitivity: 'none' | 'personal' | 'secret';
  readonly description: string;
}

/** What an Orb does. */
export interface Capability extends Replaceable {
  /** The weakest effect that an Orb with this capability can declare. */
  readonly effect: Effect;
  /** Terms that its inputs need. */
  readonly inputs: readonly string[];
  /** Terms that its outputs need. */
  readonly outputs: readonly string[];
  readonly description: string;
}

/** A version of the Orb ontology: the form of `core/ontology/orb-ontology.schema.json`. */
export interface Ontology {
  readonly id: 'orb-ontology';
  /** SemVer: a minor version adds. */
  readonly version: string;
  readonly terms: Readonly<Record<string, Term>>;
  readonly capabilities: Readonly<Record<string, Capability>>;
}

/** An entry by its name. Names of manifests may be those of members that every object has, such as `constructor`. */
export const entryOf = <Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Whether a name is private: `x-<org>.<term>`. Nothing is known about it. */
export const isPrivateName = (name: string): boolean =>
  /^x-[a-z0-9](?:[a-z0-9-]*[a-z0-9])?[.][a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name);
