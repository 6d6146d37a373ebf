import { celMap, isCelError, type CelInput, type CelResult } from '@bufbuild/cel';
import { objectAt } from '../../json/members.ts';
import { rootOf, type FactSchema, type Phase } from '../facts/fact-schema.ts';
import { bindFacts, bindInputs, withRoot } from './bind.ts';
import { directOf, NO_ITEMS, type Direct } from './direct.ts';
import { withoutTraces, type Activation } from './environment.ts';
import type { Expression } from './expression.ts';
import type { CompiledPolicy, CompiledRule, Facts, RuleResult, RuleSource, Trace } from './port.ts';
import { VARIABLES } from './scope.ts';
import { traceOf } from './trace.ts';
import { childrenOf, type Node } from './tree.ts';

/** Longest message that an expression may make; a longer one is replaced by the fixed one. */
const MAX_MESSAGE = 512;

export interface VariableParts {
  readonly name: string;
  readonly expression: Expression;
}

export interface RuleParts {
  readonly source: RuleSource;
  readonly when: Expression;
  readonly message: Expression | undefined;
}

export interface PolicyParts {
  readonly digest: string;
  /** Base schema: bound once for all policies that see the same facts. */
  readonly schema: FactSchema;
  /** The facts `inputs.NAME` of this policy alone. */
  readonly inputs: FactSchema | undefined;
  readonly phases: readonly Phase[];
  readonly variables: readonly VariableParts[];
  readonly rules: readonly RuleParts[];
}

const expressionsOf = ({ when, message }: RuleParts): readonly Expression[] =>
  message === undefined ? [when] : [when, message];

/** Variables that expressions read, and those that these read: positions in their order. */
function neededBy(expressions: readonly Expression[], variables: readonly VariableParts[]): ReadonlySet<number> {
  const names = new Set(expressions.flatMap(({ uses }) => uses));
  const needed = new Set<number>();
  // A variable reads only earlier ones, so one pass from the end finds them all.
  for (let index = variables.length - 1; index >= 0; index -= 1) {
    const variable = variables[index];
    if (variable === undefined || !names.has(variable.name)) continue;
    needed.add(index);
    for (const name of variable.expression.uses) names.add(name);
  }
  return needed;
}

function factsRead(expressions: readonly Expression[], variables: readonly VariableParts[]): readonly string[] {
  const inside = [...neededBy(expressions, variables)].flatMap((index) => variables[index]?.expression ?? []);
  return [...new Set([...expressions, ...inside].flatMap(({ reads }) => reads))].toSorted();
}

interface PreparedRule extends RuleParts {
  readonly needs: readonly number[];
  /** First parts of the names of the facts that it reads: only these are bound. */
  readonly roots: ReadonlySet<string>;
  /** Its condition without the evaluator; undefined: it has no such form. */
  readonly direct: Direct | undefined;
  /** Most results say this. */
  readonly isFalse: RuleResult;
}

/** The variables that need no evaluator. Each sees those before it. */
function directVariables(schema: FactSchema, variables: readonly VariableParts[]): ReadonlyMap<string, Direct> {
  const found = new Map<string, Direct>();
  for (const { name, expression } of variables) {
    const direct = directOf(expression.tree, { schema, variables: found, locals: [] });
    if (direct !== undefined) found.set(name, direct);
  }
  return found;
}

function prepared({ schema, variables, rules }: PolicyParts): readonly PreparedRule[] {
  const names = { schema, variables: directVariables(schema, variables), locals: [] };
  return rules.map((rule) => {
    const { name, effect } = rule.source;
    const expressions = expressionsOf(rule);
    return {
      ...rule,
      needs: [...neededBy(expressions, variables)].toSorted((one, other) => one - other),
      roots: new Set(factsRead(expressions, variables).map(rootOf)),
      direct: directOf(rule.when.tree, names),
      isFalse: { rule: name, effect, value: false },
    };
  });
}

const fixedMessage = ({ source: { message, name } }: RuleParts): string => message ?? `denied by rule ${name}`;

/** The result of a rule that needs no evaluator for these facts; undefined: it does. */
function directResult(rule: PreparedRule, facts: Facts): RuleResult | undefined {
  const value = rule.direct?.(facts, NO_ITEMS);
  if (value === false) return rule.isFalse;
  return value === true && rule.message === undefined
    ? { ...rule.isFalse, value, message: fixedMessage(rule) }
    : undefined;
}

const rootsOf = (rules: readonly PreparedRule[]): ReadonlySet<string> => {
  const [first] = rules;
  return first !== undefined && rules.length === 1 ? first.roots : new Set(rules.flatMap(({ roots }) => [...roots]));
};

function messageOf(rule: RuleParts, activation: Activation): string {
  const { message } = rule;
  const made = message && evaluateOnce(message, activation);
  const isShown = typeof made === 'string' && made.length <= MAX_MESSAGE;
  return isShown ? made : fixedMessage(rule);
}

/** The evaluator's result; a throw becomes undefined, which no expression gives. */
function evaluateOnce({ evaluate }: Expression, activation: Activation): CelResult | undefined {
  try {
    return evaluate(activation);
  } catch {
    return undefined;
  }
}

function evaluateRule(rule: RuleParts, activation: Activation): RuleResult {
  const { name, effect } = rule.source;
  const value = evaluateOnce(rule.when, activation);
  if (value === true) return { rule: name, effect, value, message: messageOf(rule, activation) };
  if (value === false) return { rule: name, effect, value };
  return isCelError(value)
    ? { rule: name, effect, value: 'error' }
    : { rule: name, effect, value: 'error', code: 'evaluator-failed' };
}

const isStable = (schema: FactSchema, reads: readonly string[]): boolean =>
  reads.every((path) => {
    const fact = schema.facts.get(path);
    return fact !== undefined && fact.changesWith !== 'run';
  });

/** Strings in an expression. */
const textsIn = (node: Node): readonly string[] =>
  node.kind === 'constant' && typeof node.value === 'string' ? [node.value] : childrenOf(node).flatMap(textsIn);

function textsOf({ when }: RuleParts, variables: readonly VariableParts[]): readonly string[] {
  const inside = [...neededBy([when], variables)].flatMap((index) => variables[index]?.expression ?? []);
  return [...new Set([when, ...inside].flatMap(({ tree }) => textsIn(tree)))].toSorted();
}

class Policy implements CompiledPolicy {
  readonly digest: string;
  readonly readsFacts: readonly string[];
  readonly costUnits: Readonly<Partial<Record<Phase, number>>>;
  readonly rules: readonly CompiledRule[];
  readonly #parts: PolicyParts;
  readonly #rules: readonly PreparedRule[];

  constructor(parts: PolicyParts) {
    const { variables, rules, phases } = parts;
    const all = [...variables.map(({ expression }) => expression), ...rules.flatMap(expressionsOf)];
    const units = all.reduce((sum, expression) => sum + expression.units, 0);
    this.digest = parts.digest;
    this.readsFacts = [...new Set(all.flatMap(({ reads }) => reads))].toSorted();
    this.costUnits = Object.fromEntries(phases.map((phase) => [phase, units]));
    this.rules = rules.map((rule) => {
      const readsFacts = factsRead(expressionsOf(rule), variables);
      const { name, effect } = rule.source;
      const texts = textsOf(rule, variables);
      return { name, effect, readsFacts, isStable: isStable(parts.schema, readsFacts), texts };
    });
    this.#parts = parts;
    this.#rules = prepared(parts);
  }

  evaluate(facts: Facts, which?: readonly number[]): readonly RuleResult[] {
    const chosen = which === undefined ? this.#rules : which.flatMap((index) => this.#rules[index] ?? []);
    const direct = chosen.map((rule) => directResult(rule, facts));
    const left = chosen.filter((_rule, index) => direct[index] === undefined);
    if (left.length === 0) return direct.filter((result) => result !== undefined);
    return withoutTraces(() => {
      const activation = this.#activation(facts, left);
      return chosen.map((rule, index) => direct[index] ?? evaluateRule(rule, activation));
    });
  }

  areFalse(facts: Facts, which: readonly number[]): boolean {
    for (const index of which) if (this.#rules[index]?.direct?.(facts, NO_ITEMS) !== false) return false;
    return true;
  }

  trace(facts: Facts, index: number): Trace | undefined {
    const rule = this.#rules[index];
    return rule && withoutTraces(() => traceOf(rule.when.tree, this.#activation(facts, [rule])));
  }

  #activation(facts: Facts, rules: readonly PreparedRule[]): Activation {
    const { schema, inputs, variables } = this.#parts;
    const base = bindFacts(schema, facts, rootsOf(rules));
    const withInputs =
      inputs === undefined ? base : withRoot(base, 'inputs', bindInputs(inputs, objectAt(facts, 'inputs')));
    const needed = new Set(rules.flatMap(({ needs }) => needs));
    if (needed.size === 0) return withInputs;
    // The map is read while it is filled: a variable sees those before it, and one that fails is absent.
    const values = new Map<string, CelInput>();
    const activation = withRoot(withInputs, VARIABLES, celMap(values));
    for (const [index, { name, expression }] of variables.entries()) {
      const value = needed.has(index) ? evaluateOnce(expression, activation) : undefined;
      if (value !== undefined && !isCelError(value)) values.set(name, value);
    }
    return activation;
  }
}

/** A policy that evaluates its rules. */
export const compiledPolicy = (parts: PolicyParts): CompiledPolicy => new Policy(parts);
