import type { Node, NodeOf } from './tree.ts';

const PREFIX = new Map([
  ['!_', '!'],
  ['-_', '-'],
]);
const INFIX = /^(?:@(in)|_(&&|\|\||[=!<>]=?|[<>]|[-+*/%])_)$/;

/** A part that needs brackets when it stands inside another operator. */
const isInfix = (node: Node): boolean => node.kind === 'call' && (INFIX.test(node.name) || node.name === '_?_:_');
const inner = (node: Node): string => (isInfix(node) ? `(${textOf(node)})` : textOf(node));
const listed = (nodes: readonly Node[]): string => nodes.map(textOf).join(', ');

const functionText = ({ name, target, args }: NodeOf<'call'>): string =>
  `${target === undefined ? '' : `${inner(target)}.`}${name}(${listed(args)})`;

/** The text of an operator with two parts; undefined: it is a function. */
function infixText(name: string, left: Node, right: Node): string | undefined {
  if (name === '_[_]') return `${inner(left)}[${textOf(right)}]`;
  const infix = INFIX.exec(name);
  return infix === null ? undefined : `${inner(left)} ${infix[1] ?? infix[2] ?? ''} ${inner(right)}`;
}

function callText(node: NodeOf<'call'>): string {
  const [first, second, third] = node.args;
  const prefix = PREFIX.get(node.name);
  if (first === undefined) return functionText(node);
  if (prefix !== undefined) return `${prefix}${inner(first)}`;
  if (second === undefined || node.target !== undefined) return functionText(node);
  if (third !== undefined) return `${inner(first)} ? ${inner(second)} : ${inner(third)}`;
  return infixText(node.name, first, second) ?? functionText(node);
}

const selectText = ({ of, field, isTest }: NodeOf<'select'>): string =>
  isTest ? `has(${inner(of)}.${field})` : `${inner(of)}.${field}`;

const constantText = ({ value }: NodeOf<'constant'>): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

const mapText = ({ keys, values }: NodeOf<'map'>): string =>
  `{${keys.map((key, at) => `${textOf(key)}: ${listed(values.slice(at, at + 1))}`).join(', ')}}`;

const macroText = ({ macro, range, variable, predicate, item }: NodeOf<'macro'>): string => {
  const isNamed = item?.kind === 'name' && item.name === variable && macro === 'filter';
  const body = [predicate, isNamed ? undefined : item].filter((part) => part !== undefined);
  const name = macro === 'filter' && !isNamed ? 'map' : macro;
  return `${inner(range)}.${name}(${[variable, ...body.map(textOf)].join(', ')})`;
};

/** The text of a part, in CEL: brackets and blanks may differ from the source. */
export function textOf(node: Node): string {
  switch (node.kind) {
    case 'constant':
      return constantText(node);
    case 'refused':
      return '?';
    case 'name':
      return node.name;
    case 'select':
      return selectText(node);
    case 'call':
      return callText(node);
    case 'list':
      return `[${listed(node.items)}]`;
    case 'map':
      return mapText(node);
    case 'macro':
      return macroText(node);
    default:
      return node satisfies never;
  }
}
