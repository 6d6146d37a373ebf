import { Environment, ParseError } from '@marcbachmann/cel-js';
import { rootOf, type FactSchema } from '../facts/fact-schema.ts';
import { VARIABLES, type Problem } from './scope.ts';
import { typeName, typeOfFact, type Type } from './types.ts';

type Members = Record<string, string>;

/** Declares every root with its members; a fact without a dot in its path is a variable of its own. */
export function environmentOf(schema: FactSchema): Environment {
  const environment = new Environment({ unlistedVariablesAreDyn: false });
  const roots = new Map<string, Members>();
  for (const definition of schema.facts.values()) {
    const root = rootOf(definition.path);
    const type = typeName(typeOfFact(definition));
    if (root === definition.path) environment.registerVariable(root, type);
    else roots.set(root, { ...roots.get(root), [definition.path.slice(root.length + 1)]: type });
  }
  for (const [name, members] of roots) environment.registerVariable({ name, schema: members });
  return environment;
}

/** What the type checker says of an expression. */
export type CheckedType =
  | { readonly ok: true; readonly type: string }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Checks types with the second CEL library (policy.md §1.3): the evaluator has no checker. So both libraries accept
 * every text that is in force.
 */
export class TypeChecker {
  readonly #base: Environment;

  constructor(schema: FactSchema) {
    this.#base = environmentOf(schema);
  }

  /** @param variables types of the policy's variables that stand before the expression */
  check(source: string, variables: ReadonlyMap<string, Type>): CheckedType {
    const members = Object.fromEntries([...variables].map(([name, type]) => [name, typeName(type)]));
    const environment =
      variables.size === 0 ? this.#base : this.#base.clone().registerVariable({ name: VARIABLES, schema: members });
    const { valid, type, error } = environment.check(source);
    if (valid && type !== undefined) return { ok: true, type };
    const code = error instanceof ParseError ? 'parse-error' : 'type-error';
    const detail = error?.summary ?? 'this expression has no type';
    return { ok: false, problem: { code, severity: 'error', at: error?.range?.start ?? 0, detail } };
  }
}
