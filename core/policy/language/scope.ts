import type { FactDefinition, FactSchema } from '../facts/fact-schema.ts';
import { rootOf } from '../facts/fact-schema.ts';
import { nearestName } from '../../manifest/nearest.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import type { Patterns } from './patterns.ts';
import type { Node } from './tree.ts';
import type { Type } from './types.ts';

/** One problem of an expression; `at` is an offset in its source. */
export interface Problem {
  readonly code: PolicyLintCode;
  readonly severity: 'error' | 'warning';
  readonly at: number;
  readonly detail: string;
  readonly suggestion?: string;
}

/** What an expression can name, and what is collected while it is walked. */
export interface Scope {
  readonly schema: FactSchema;
  /** Types of the policy's variables that stand before this expression. */
  readonly variables: ReadonlyMap<string, Type>;
  readonly patterns: Patterns;
  /** Paths of facts that it reads, also by `has`, with the place of the first. */
  readonly reads: Map<string, number>;
  /** Names of variables that it reads. */
  readonly uses: Set<string>;
  /** Types of the parts. */
  readonly types: Map<Node, Type>;
  readonly problems: Problem[];
}

/** Where in an expression: names of the macros around, and nullable facts that `has` was asked about. */
export interface Inside {
  readonly locals: ReadonlyMap<string, Type>;
  readonly present: ReadonlySet<string>;
  /** Macros around. */
  readonly nesting: number;
}

export const VARIABLES = 'variables';

/** Records an error. @returns undefined, the type of a part that can't be used */
export function refuse(scope: Scope, code: PolicyLintCode, { at }: { readonly at: number }, detail: string): undefined {
  scope.problems.push({ code, severity: 'error', at, detail });
}

/** First names of the schema, and `variables`. */
export const rootsOf = (schema: FactSchema): readonly string[] => [
  ...new Set([...schema.facts.keys()].map(rootOf)),
  VARIABLES,
];

/** The dotted name of a fact, such as `orb.score`; undefined for everything else. */
export function pathOf(node: Node, locals: ReadonlyMap<string, Type>): string | undefined {
  if (node.kind === 'name') return locals.has(node.name) ? undefined : node.name;
  if (node.kind !== 'select') return undefined;
  const before = pathOf(node.of, locals);
  return before === undefined ? undefined : `${before}.${node.field}`;
}

/** The fact that a part names. */
export function factOf(scope: Scope, node: Node, locals: ReadonlyMap<string, Type>): FactDefinition | undefined {
  const path = pathOf(node, locals);
  return path === undefined ? undefined : scope.schema.facts.get(path);
}

/** Records a name that is no fact, with the nearest one. */
export function refuseUnknown(scope: Scope, { at }: { readonly at: number }, path: string): undefined {
  const known = [...scope.schema.facts.keys(), ...[...scope.variables.keys()].map((name) => `${VARIABLES}.${name}`)];
  const suggestion = nearestName(path, known);
  const detail =
    suggestion === undefined
      ? `${path} is no fact: take one of the list of facts, or declare an input under inputFacts`
      : `${path}: did you mean ${suggestion}?`;
  const problem = { code: 'unknown-fact', severity: 'error', at, detail } as const;
  scope.problems.push(suggestion === undefined ? problem : { ...problem, suggestion });
}
