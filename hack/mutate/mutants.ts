import { parseSync } from 'oxc-parser';

/** One small change of a source text. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  /** Takes the place of the text from `start` to `end`. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const SWAPS: Readonly<Record<string, string>> = {
  '&&': '||',
  '||': '&&',
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};
const METHODS: Readonly<Record<string, string>> = { some: 'every', every: 'some' };
const WRAPPERS: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;
const valueOf = (node: Node, name: string): unknown => Object.entries(node).find(([key]) => key === name)?.[1];
const childOf = (node: Node, name: string): Node | undefined => {
  const child = valueOf(node, name);
  return isNode(child) ? child : undefined;
};

/** Children that run: no types, no imports, and of an object or a class no names of members. */
function childrenOf(node: Node): readonly Node[] {
  if (/^(?:Import|ExportAll)/.test(node.type)) return [];
  if (node.type.startsWith('TS') && !WRAPPERS.has(node.type)) return [];
  const isKeyed = valueOf(node, 'key') !== undefined && valueOf(node, 'computed') === false;
  return Object.entries(node)
    .filter(([name]) => !(isKeyed && name === 'key'))
    .flatMap(([, value]): readonly unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

const replaced = ({ start, end }: Node, text: string): Mutant => ({ start, end, text });

/** Numbers, truth values, and texts without a blank: longer texts are written for people. */
function ofLiteral(node: Node): readonly Mutant[] {
  const value = valueOf(node, 'value');
  if (typeof value === 'boolean') return [replaced(node, String(!value))];
  if (typeof value === 'number') return [replaced(node, String(value + 1))];
  return typeof value === 'string' && !/\s/.test(value) ? [replaced(node, JSON.stringify(`${value}~`))] : [];
}

function ofBinary(node: Node, source: string): readonly Mutant[] {
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')];
  const operator = String(valueOf(node, 'operator'));
  if (left === undefined || right === undefined) return [];
  const [one, other] = [source.slice(left.start, left.end), source.slice(right.start, right.end)];
  if (operator === '??') return [replaced(node, `(${one})`)];
  const swap = SWAPS[operator];
  return swap === undefined ? [] : [replaced(node, `((${one}) ${swap} (${other}))`)];
}

function ofIf(node: Node, test: Node, source: string): readonly Mutant[] {
  const negated = replaced(test, `!(${source.slice(test.start, test.end)})`);
  const leaves = /^(?:Return|Throw|Continue)Statement$/.test(childOf(node, 'consequent')?.type ?? '');
  const isGuard = node.type === 'IfStatement' && leaves && childOf(node, 'alternate') === undefined;
  return isGuard ? [negated, replaced(node, ';')] : [negated];
}

function ofNot(node: Node, source: string): readonly Mutant[] {
  const argument = childOf(node, 'argument');
  const isNot = argument !== undefined && valueOf(node, 'operator') === '!';
  return isNot ? [replaced(node, source.slice(argument.start, argument.end))] : [];
}

function ofMember(node: Node, source: string): readonly Mutant[] {
  const property = childOf(node, 'property');
  const method = property && METHODS[source.slice(property.start, property.end)];
  return property === undefined || method === undefined ? [] : [replaced(property, method)];
}

const ofTest = (node: Node, source: string): readonly Mutant[] => {
  const test = childOf(node, 'test');
  return test === undefined ? [] : ofIf(node, test, source);
};

const CHANGES: Readonly<Record<string, (node: Node, source: string) => readonly Mutant[]>> = {
  Literal: ofLiteral,
  BinaryExpression: ofBinary,
  LogicalExpression: ofBinary,
  IfStatement: ofTest,
  ConditionalExpression: ofTest,
  WhileStatement: ofTest,
  UnaryExpression: ofNot,
  MemberExpression: ofMember,
};

export const mutated = (source: string, { start, end, text }: Mutant): string =>
  source.slice(0, start) + text + source.slice(end);

/**
 * Every mutant of a TypeScript file, in the order of its places: an operator, a literal or a condition is another, or a
 * guard (`if (…) return …`) is gone.
 */
export function mutantsOf(name: string, source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const visit = (node: Node): void => {
    found.push(...(CHANGES[node.type]?.(node, source) ?? []));
    for (const child of childrenOf(node)) visit(child);
  };
  const program: unknown = parseSync(name, source).program;
  if (isNode(program)) visit(program);
  return found
    .filter((mutant) => parseSync(name, mutated(source, mutant)).errors.length === 0)
    .toSorted((one, other) => one.start - other.start || one.end - other.end);
}
