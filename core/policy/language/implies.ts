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

/** The parts of a chain of one operator, such as all of `a && b && c`. */
function partsOf(node: Node, operator: '_&&_' | '_||_'): readonly string[] {
  if (node.kind === 'call' && node.name === operator) return node.args.flatMap((part) => partsOf(part, operator));
  return [keyOf(node)];
}

const contains = (many: readonly string[], few: readonly string[]): boolean => few.every((part) => many.includes(part));

/**
 * Whether one condition is only true when the other one is, as far as their texts show.
 * Example: `a && b` implies `a`, and `a` implies `a || b`.
 */
export const implies = (one: Node, other: Node): boolean =>
  contains(partsOf(one, '_&&_'), partsOf(other, '_&&_')) || contains(partsOf(other, '_||_'), partsOf(one, '_||_'));
