import {
  CelScalar,
  celEnv,
  celFunc,
  celList,
  listType,
  plan,
  type CelInput,
  type CelList,
  type CelResult,
  type CelValue,
} from '@bufbuild/cel';
import { Patterns } from './patterns.ts';
import type { Expr } from './tree.ts';

/** Values that an expression reads, by the first part of their names. Without a prototype. */
export type Activation = Record<string, CelInput>;

/** An expression that is ready to be evaluated. Errors are values: test with `isCelError`. */
export type Evaluation = (values: Activation) => CelResult;

/** Compiled patterns of all policies of this process. */
export const PATTERNS = new Patterns();

const LIST = listType(CelScalar.DYN);

/** A joined list keeps its array, to be joined again without reading it through the list. */
interface JoinedList extends CelList {
  readonly items: readonly CelValue[];
}
const isJoined = (list: CelList): list is JoinedList => 'items' in list;
const itemsOf = (list: CelList): readonly CelValue[] => (isJoined(list) ? list.items : [...list]);

/**
 * Joins lists into one array. The evaluator's own form is a chain, one link for each item of `map` and `filter`:
 * reading all items of a chain takes time by the square of their number.
 */
function joinLists(left: CelList, right: CelList): CelList {
  const items = itemsOf(left).concat(itemsOf(right));
  return Object.assign(celList(items), { items });
}

// Without the extension for strings: its functions belong to one library alone (policy.md §1).
const ENVIRONMENT = celEnv({
  re2: { compile: (pattern) => PATTERNS.compile(pattern) },
  funcs: [celFunc('_+_', [LIST, LIST], LIST, joinLists)],
});

/** Prepares an expression for evaluation, once for each policy. */
export const evaluationOf = (expr: Expr): Evaluation => plan(ENVIRONMENT, expr);

/**
 * Evaluates without stack traces. An error of an expression is a value, and nobody sees its trace, but making one takes
 * about 20 µs: 200 times a comparison, and once for each item of a loop.
 */
export function withoutTraces<Result>(evaluate: () => Result): Result {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return evaluate();
  } finally {
    Error.stackTraceLimit = before;
  }
}
