import { isCelError } from '@bufbuild/cel';
import { evaluationOf } from './environment.ts';
import { childrenOf, type Node, type NodeOf } from './tree.ts';
import type { Type } from './types.ts';

type Types = ReadonlyMap<Node, Type>;
type Range = { readonly min: bigint; readonly max: bigint };

const isConstant = (node: Node): boolean => node.kind !== 'name' && childrenOf(node).every(isConstant);

/** Value of a part without names. */
function evaluated(node: Node): boolean | undefined {
  const value = evaluationOf(node.expr)({});
  return isCelError(value) || typeof value !== 'boolean' ? undefined : value;
}

const isLess = (left: Range, right: Range): boolean | undefined => {
  if (left.max < right.min) return true;
  return left.min >= right.max ? false : undefined;
};
const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

const isSame = (left: Range, right: Range): boolean | undefined => {
  if (left.max < right.min || left.min > right.max) return false;
  const isOne = left.min === left.max && right.min === right.max;
  return isOne ? left.min === right.min : undefined;
};

const COMPARISONS: ReadonlyMap<string, (left: Range, right: Range) => boolean | undefined> = new Map([
  ['_<_', isLess],
  ['_>_', (left: Range, right: Range) => isLess(right, left)],
  ['_<=_', (left: Range, right: Range) => negated(isLess(right, left))],
  ['_>=_', (left: Range, right: Range) => negated(isLess(left, right))],
  ['_==_', isSame],
  ['_!=_', (left: Range, right: Range) => negated(isSame(left, right))],
]);

/** Compares by the smallest and largest values of the schema: `orb.score > 100` is never true. */
function compared(node: NodeOf<'call'>, types: Types): boolean | undefined {
  const [left, right] = node.args.map((part) => types.get(part));
  if (left?.kind !== 'int' || right?.kind !== 'int') return undefined;
  return COMPARISONS.get(node.name)?.(left, right);
}

function foldCall(node: NodeOf<'call'>, types: Types): boolean | undefined {
  const parts = (): readonly (boolean | undefined)[] => node.args.map((part) => folded(part, types));
  switch (node.name) {
    case '!_':
      return negated(parts()[0]);
    case '_&&_':
      return parts().includes(false) ? false : parts().every((part) => part === true) || undefined;
    case '_||_':
      return parts().includes(true) ? true : parts().every((part) => part === false) ? false : undefined;
    default:
      return compared(node, types);
  }
}

/**
 * The value that a condition has whatever the facts are; undefined when it depends on them.
 * @param types of the parts, with the bounds of the fact schema
 */
export function folded(node: Node, types: Types): boolean | undefined {
  if (isConstant(node)) return evaluated(node);
  return node.kind === 'call' ? foldCall(node, types) : undefined;
}
