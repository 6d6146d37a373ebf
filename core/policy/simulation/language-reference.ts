import { OBLIGATION_TYPES } from '../decision/obligations.ts';
import type { FactDefinition, FactSchema } from '../facts/fact-schema.ts';
import { FUNCTIONS } from '../language/functions.ts';

/** A fact as `GET /policies/schema` shows it; only the bounds of its type. */
const factRow = (fact: FactDefinition): object => ({
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

/** What a policy can name: facts, functions and obligations (policy.md §5). The same for every program of a version. */
export interface LanguageReference {
  readonly schema: string;
  readonly facts: readonly object[];
  readonly functions: readonly object[];
  readonly obligations: readonly { readonly type: string; readonly parameters: readonly string[] }[];
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
