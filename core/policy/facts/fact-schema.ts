/** When a policy decides (policy.md §3.1), in the order of a run. */
export const PHASES = ['PreFlight', 'Request', 'Response'] as const;
export type Phase = (typeof PHASES)[number];

/** Types of facts (policy.md §4). There are no doubles, so facts are canonical JSON and arithmetic is exact. */
export type FactType = 'string' | 'bool' | 'int' | 'timestamp' | 'list<string>' | 'map<string, string>';

/** With what a fact changes. Results of rules that read nothing of the run are kept (policy.md §1.4). */
export type ChangesWith = 'orb' | 'orbiset' | 'caller' | 'run';

export interface FactDefinition {
  /** Name in an expression, such as `orb.score`. */
  readonly path: string;
  readonly type: FactType;
  /** First phase in which it is there; later phases have it too. */
  readonly phase: Phase;
  /** True: it may be absent, and reading an absent fact is an error. */
  readonly isNullable: boolean;
  /** True: it counts earlier runs, so a replay has two modes for it. */
  readonly isStateful: boolean;
  readonly changesWith: ChangesWith;
  /** Smallest and largest value of an int. */
  readonly min: number;
  readonly max: number;
  /** Longest string, also as an item, a key or a value; UTF-16 units. */
  readonly maxLength: number;
  /** Most items of a list or keys of a map. */
  readonly maxItems: number;
  /** Schema that had it first. */
  readonly since: string;
  /** One sentence for the reference. */
  readonly doc: string;
}

export interface FactSchema {
  /** Name and version, such as `orb-facts/1`. Inside a version the schema only grows. */
  readonly id: string;
  /** By path. */
  readonly facts: ReadonlyMap<string, FactDefinition>;
}

/** First part of a path: `orb` of `orb.score`. */
export const rootOf = (path: string): string => path.split('.', 1)[0] ?? path;

/** A schema of these facts. */
export const factSchema = (id: string, definitions: readonly FactDefinition[]): FactSchema => ({
  id,
  facts: new Map(definitions.map((definition) => [definition.path, definition])),
});
