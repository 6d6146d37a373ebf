import { isCelError, parse } from '@bufbuild/cel';
import type { Finding } from '../../manifest/finding.ts';
import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { evaluationOf, PATTERNS, withoutTraces, type Activation } from './environment.ts';
import { FUNCTION_NAMES } from './functions.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import { findingOf } from './place.ts';
import { boundSource } from './source-bounds.ts';
import { MAX_NODES, TooManyNodes, childrenOf, treeOf, type Node, type NodeOf } from './tree.ts';
import { choiceOf } from './untyped-choice.ts';
import { bindJson, jsonOf, MAX_ITEMS, MAX_TEXT } from './untyped-values.ts';

/** Sizes that values without a type count as (ingestion.md §3). */
const ITEMS = MAX_ITEMS;
const CHARACTERS = MAX_TEXT;
const MAX_NESTING = 2;
/** Values of the result of an expression that is evaluated for each event. */
const RESULT_VALUES = 2000;

/** Roots of an expression without types, such as `payload`, for any number of expressions. Must not change afterwards. */
export class BoundValues {
  readonly values: JsonObject;
  readonly #own: JsonObject;
  readonly #outer: BoundValues | undefined;
  #activation: Activation | undefined;

  /** @param outer further roots, of other names */
  constructor(own: JsonObject, outer?: BoundValues) {
    this.values = outer === undefined ? own : { ...outer.values, ...own };
    this.#own = own;
    this.#outer = outer;
  }

  /** In the form of the evaluator, made when the first expression needs it. */
  get activation(): Activation {
    this.#activation ??= this.#bind();
    return this.#activation;
  }

  #bind(): Activation {
    const bound: Activation = {};
    Object.setPrototypeOf(bound, null);
    Object.assign(bound, this.#outer?.activation);
    for (const [name, value] of Object.entries(this.#own)) bound[name] = bindJson(value);
    return bound;
  }
}

/** A compiled expression over values whose types nobody declared. */
export interface UntypedExpression {
  /** Upper bound of its cost, units of about 0.1 µs. */
  readonly units: number;
  /** @returns undefined after an error, such as a member that is absent. Never throws */
  evaluate(values: BoundValues): JsonValue | undefined;
}

export type UntypedResult =
  | { readonly ok: true; readonly expression: UntypedExpression }
  | { readonly ok: false; readonly finding: Finding };

/** What may be used, and how much. */
export interface UntypedBounds {
  /** First names that it may read. */
  readonly roots: readonly string[];
  /** Most units. */
  readonly units: number;
  /** Most values of its result; 2 000 when absent. */
  readonly resultValues?: number;
  /** Where the expression stands in its document. */
  readonly pointer: string;
}

interface Fault {
  readonly code: PolicyLintCode;
  readonly at: number;
  readonly detail: string;
}

interface Walk {
  readonly names: ReadonlySet<string>;
  readonly nesting: number;
  readonly faults: Fault[];
}

const NAMED = /^[a-z]/i;
/** Operators that look at no text. */
const LOGIC = new Set(['_&&_', '_||_', '!_', '_?_:_']);

/** Operators and macros have names that no text can spell. */
const isKnown = (name: string): boolean => !NAMED.test(name) || FUNCTION_NAMES.includes(name);

function checkCall(walk: Walk, { name, args, at }: NodeOf<'call'>): void {
  if (!isKnown(name)) walk.faults.push({ code: 'type-error', at, detail: `there is no function ${name}` });
  if (name !== 'matches') return;
  const pattern = args.at(-1);
  if (pattern?.kind !== 'constant' || typeof pattern.value !== 'string') {
    walk.faults.push({ code: 'regex-not-literal', at, detail: 'write the pattern as a string' });
    return;
  }
  try {
    PATTERNS.compile(pattern.value);
  } catch {
    walk.faults.push({ code: 'bad-regex', at: pattern.at, detail: 'this is no RE2 pattern' });
  }
}

/** Units of a call beside its parts: of the longest text, since no type says which is meant. */
function unitsOfCall({ name, args }: NodeOf<'call'>): number {
  const [, second] = args;
  switch (name) {
    case 'matches':
      return 20 + 2 * CHARACTERS;
    case 'contains':
      return 1 + CHARACTERS / 16;
    case '_==_':
    case '_!=_':
      // Comparing with a constant stops at its length.
      return args.some(({ kind }) => kind === 'constant') ? 2 : ITEMS * (1 + CHARACTERS / 1024);
    case '@in':
      return 1 + 7 * (second?.kind === 'list' ? second.items.length : ITEMS);
    default:
      return unitsOfName(name);
  }
}

function unitsOfName(name: string): number {
  if (LOGIC.has(name)) return 1;
  return NAMED.test(name) ? 1 + CHARACTERS / 8 : 38;
}

const sum = (walk: Walk, nodes: readonly Node[]): number =>
  nodes.reduce((units, node) => units + unitsOf(walk, node), 0);

function unitsOfMacro(walk: Walk, node: NodeOf<'macro'>): number {
  const { at, macro, range, variable, predicate, item } = node;
  if (walk.nesting >= MAX_NESTING) walk.faults.push({ code: 'too-deep', at, detail: `${macro} stands in two others` });
  if (walk.names.has(variable))
    walk.faults.push({ code: 'type-error', at, detail: `${variable} means something else here` });
  const inner = { ...walk, names: new Set([...walk.names, variable]), nesting: walk.nesting + 1 };
  const body = sum(
    inner,
    [predicate, item].filter((part) => part !== undefined),
  );
  const items = range.kind === 'list' ? range.items.length : ITEMS;
  return unitsOf(walk, range) + items * (body + (item === undefined ? 2 : 22));
}

function unitsOfRoot({ names, faults }: Walk, { name, at }: NodeOf<'name'>): number {
  if (!names.has(name))
    faults.push({ code: 'unknown-fact', at, detail: `${name} is unknown: ${[...names].join(', ')}` });
  return 1;
}

function unitsOfRefused({ faults }: Walk, { at, detail }: NodeOf<'refused'>): number {
  faults.push({ code: 'type-error', at, detail });
  return 1;
}

function unitsOf(walk: Walk, node: Node): number {
  switch (node.kind) {
    case 'constant':
      return 1;
    case 'refused':
      return unitsOfRefused(walk, node);
    case 'name':
      return unitsOfRoot(walk, node);
    case 'select':
      return unitsOf(walk, node.of) + 38;
    case 'call':
      checkCall(walk, node);
      return unitsOfCall(node) + sum(walk, childrenOf(node));
    case 'list':
      return 12 + sum(walk, node.items);
    case 'map':
      return 12 * (1 + node.values.length) + sum(walk, [...node.keys, ...node.values]);
    case 'macro':
      return unitsOfMacro(walk, node);
    default:
      return node satisfies never;
  }
}

function parsed(source: string): { readonly tree: Node } | { readonly fault: Fault } {
  const outside = boundSource(source);
  if (outside !== undefined) return { fault: outside };
  try {
    return { tree: treeOf(parse(source), source) };
  } catch (thrown) {
    const isLarge = thrown instanceof TooManyNodes;
    const detail = isLarge ? `more than ${MAX_NODES} parts: write a shorter one` : 'this is no CEL expression';
    return { fault: { code: isLarge ? 'too-large' : 'parse-error', at: 0, detail } };
  }
}

function evaluateOf(tree: Node, resultValues: number): UntypedExpression['evaluate'] {
  const read = choiceOf(tree);
  if (read !== undefined) return ({ values }) => read(values);
  const run = evaluationOf(tree.expr);
  return (bound) =>
    withoutTraces(() => {
      try {
        const result = run(bound.activation);
        return isCelError(result) ? undefined : jsonOf(result, resultValues);
      } catch {
        return undefined;
      }
    });
}

/**
 * Compiles an expression over JSON without a schema, such as the payload of a webhook. The same source, size, nesting
 * and function bounds hold as for policies (policy.md §1.2); types are found only when it is evaluated, and numbers are
 * doubles. Never throws.
 */
export function compileUntyped(source: string, bounds: UntypedBounds): UntypedResult {
  const { roots, units: most, pointer, resultValues = RESULT_VALUES } = bounds;
  const fail = (fault: Fault): UntypedResult => ({
    ok: false,
    finding: findingOf({ ...fault, severity: 'error' }, pointer, source),
  });
  const read = parsed(source);
  if ('fault' in read) return fail(read.fault);
  const walk: Walk = { names: new Set(roots), nesting: 0, faults: [] };
  const units = 5 + unitsOf(walk, read.tree);
  const [fault] = walk.faults;
  if (fault !== undefined) return fail(fault);
  if (units > most)
    return fail({ code: 'too-expensive', at: 0, detail: `${units} units, and at most ${most} are allowed` });
  return { ok: true, expression: { units, evaluate: evaluateOf(read.tree, resultValues) } };
}
