import { celMap, isCelError, type CelInput, type CelResult } from '@bufbuild/cel';
import { objectAt } from '../../json/members.ts';
import type { FactSchema, Phase } from '../facts/fact-schema.ts';
import { bindFacts, bindInputs, withRoot } from './bind.ts';
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

const bound = new WeakMap<Facts, Map<FactSchema, Activation>>();

/** Facts are bound once, however many policies read them. */
function boundOnce(schema: FactSchema, facts: Facts): Activation {
  const kept = bound.get(facts) ?? new Map<FactSchema, Activation>();
  const found = kept.get(schema) ?? bindFacts(schema, facts);
  kept.set(schema, found);
  bound.set(facts, kept);
  return found;
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
}

function messageOf({ message, source }: RuleParts, activation: Activation): string {
  const made = message && evaluateOnce(message, activation);
  const isShown = typeof made === 'string' && made.length <= MAX_MESSAGE;
  return isShown ? made : (source.message ?? `denied by rule ${source.name}`);
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
    this.#rules = rules.map((rule) => {
      const needs = [...neededBy(expressionsOf(rule), variables)].toSorted((one, other) => one - other);
      return { ...rule, needs };
    });
  }

  evaluate(facts: Facts, which?: readonly number[]): readonly RuleResult[] {
    const chosen = which === undefined ? this.#rules : which.flatMap((index) => this.#rules[index] ?? []);
    if (chosen.length === 0) return [];
    return withoutTraces(() => {
      const activation = this.#activation(facts, chosen);
      return chosen.map((rule) => evaluateRule(rule, activation));
    });
  }

  trace(facts: Facts, index: number): Trace | undefined {
    const rule = this.#rules[index];
    return rule && withoutTraces(() => traceOf(rule.when.tree, this.#activation(facts, [rule])));
  }

  #activation(facts: Facts, rules: readonly PreparedRule[]): Activation {
    const { schema, inputs, variables } = this.#parts;
    const base = boundOnce(schema, facts);
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
