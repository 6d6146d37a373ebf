import { childrenOf, type Node } from './tree.ts';

type Named = Extract<Node, { readonly kind: 'call' | 'macro' | 'select' }>;

function nameOf(node: Named): string {
  if (node.kind === 'select') return `${node.isTest ? 'has ' : ''}${node.field}`;
  if (node.kind === 'macro') return `${node.macro} ${node.variable}`;
  return node.target === undefined ? node.name : `.${node.name}`;
}

function headOf(node: Node): string {
  switch (node.kind) {
    case 'constant':
      return `${typeof node.value} ${JSON.stringify(String(node.value))}`;
    case 'name':
      return node.name;
    case 'select':
    case 'call':
    case 'macro':
      return nameOf(node);
    case 'list':
    case 'map':
    case 'refused':
      return '';
    default:
      return node satisfies never;
  }
}

/** Equal texts: equal expressions. */
const keyOf = (node: Node): string => `${node.kind} ${headOf(node)}(${childrenOf(node).map(keyOf).join(',')})`;

type Operator = '_&&_' | '_||_';

function findParts(node: Node, operator: Operator): readonly string[] {
  if (node.kind === 'call' && node.name === operator) return node.args.flatMap((part) => findParts(part, operator));
  return [keyOf(node)];
}

// Each rule is compared with all others of its policy.
const kept: Readonly<Record<Operator, WeakMap<Node, ReadonlySet<string>>>> = {
  '_&&_': new WeakMap(),
  '_||_': new WeakMap(),
};

/** The parts of a chain of one operator, such as all of `a && b && c`. */
function partsOf(node: Node, operator: Operator): ReadonlySet<string> {
  const found = kept[operator].get(node) ?? new Set(findParts(node, operator));
  kept[operator].set(node, found);
  return found;
}

const contains = (many: ReadonlySet<string>, few: ReadonlySet<string>): boolean =>
  [...few].every((part) => many.has(part));

/**
 * Whether one condition is only true when the other one is, as far as their texts show.
 * Example: `a && b` implies `a`, and `a` implies `a || b`.
 */
export const implies = (one: Node, other: Node): boolean =>
  contains(partsOf(one, '_&&_'), partsOf(other, '_&&_')) || contains(partsOf(other, '_||_'), partsOf(one, '_||_'));
