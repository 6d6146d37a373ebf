import { OBLIGATION_TYPES } from '../decision/obligations.ts';
import type { ChangesWith, FactDefinition, FactSchema, FactType, Phase } from '../facts/fact-schema.ts';
import { FUNCTIONS } from '../language/functions.ts';

/** A fact as `GET /policies/schema` shows it; only the bounds of its type. */
export interface FactRow {
  readonly path: string;
  readonly type: FactType;
  readonly min?: number;
  readonly max?: number;
  readonly max_items?: number;
  /** UTF-16 units of a string, or of each item, key and value. */
  readonly max_length?: number;
  readonly nullable: boolean;
  readonly phase: Phase;
  readonly stateful: boolean;
  readonly changes_with: ChangesWith;
  readonly since: string;
  readonly doc: string;
}

const factRow = (fact: FactDefinition): FactRow => ({
  path: fact.path,
  type: fact.type,
  ...(fact.type === 'int' ? { min: fact.min, max: fact.max } : {}),
  ...(fact.type === 'string' ? { max_length: fact.maxLength } : {}),
  ...(fact.type.startsWith('list') || fact.type.startsWith('map')
    ? { max_items: fact.maxItems, max_length: fact.maxLength }
    : {}),
  nullable: fact.isNullable,
  phase: fact.phase,
  stateful: fact.isStateful,
  changes_with: fact.changesWith,
  since: fact.since,
  doc: fact.doc,
});

/** One form of a function. */
export interface FunctionRow {
  readonly name: string;
  /** Type that it is called on; absent where it is no method. */
  readonly receiver?: string;
  readonly args: readonly string[];
  readonly returns: string;
}

interface ObligationRow {
  readonly type: string;
  readonly parameters: readonly string[];
  readonly phases: readonly Phase[];
  readonly doc: string;
}

/** What a policy can name: facts, functions and obligations (policy.md §5). The same for every program of a version. */
export interface LanguageReference {
  readonly schema: string;
  readonly facts: readonly FactRow[];
  readonly functions: readonly FunctionRow[];
  readonly obligations: readonly ObligationRow[];
}

/** The body of `GET /policies/schema`, and the source of the reference page. */
export const languageReference = (schema: FactSchema): LanguageReference => ({
  schema: schema.id,
  facts: [...schema.facts.values()].map(factRow),
  functions: FUNCTIONS.map(({ name, receiver, args, returns }) =>
    receiver === undefined ? { name, args, returns } : { name, receiver, args, returns },
  ),
  obligations: [...OBLIGATION_TYPES].map(([type, { parameters, phases, doc }]) => ({ type, parameters, phases, doc })),
});
