import type { parse } from '@bufbuild/cel';

type Parsed = ReturnType<typeof parse>;
/** A part of an expression as the evaluator reads it. */
export type Expr = Parsed['expr'];

interface Place {
  /** Offset in the source, UTF-16 units. */
  readonly at: number;
  /** The part that is evaluated. */
  readonly expr: Expr;
}

type MacroName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';

/** A part of an expression as the checks of a policy walk it: macros are not expanded. */
export type Node = Place &
  (
    | { readonly kind: 'constant'; readonly value: boolean | bigint | string }
    | { readonly kind: 'refused'; readonly detail: string }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'select'; readonly of: Node; readonly field: string; readonly isTest: boolean }
    | {
        readonly kind: 'call';
        readonly name: string;
        readonly target: Node | undefined;
        readonly args: readonly Node[];
      }
    | { readonly kind: 'list'; readonly items: readonly Node[] }
    | { readonly kind: 'map'; readonly keys: readonly Node[]; readonly values: readonly Node[] }
    | {
        readonly kind: 'macro';
        readonly macro: MacroName;
        readonly range: Node;
        readonly variable: string;
        /** Condition on an item, then the new item: absent where the macro has none. */
        readonly predicate: Node | undefined;
        readonly item: Node | undefined;
      }
  );

export type NodeOf<Kind extends Node['kind']> = Extract<Node, { readonly kind: Kind }>;

/** Most parts of one expression (policy.md §1.2). */
export const MAX_NODES = 256;

interface Reader {
  readonly offset: (expr: Expr) => number;
  left: number;
}

/** More parts than `MAX_NODES`. Thrown before the next level is read, so the depth of the walk has the same bound. */
export class TooManyNodes extends Error {}

const absent: Expr | undefined = undefined;
const refuse = (place: Place, detail: string): Node => ({ ...place, kind: 'refused', detail });

type Constant = Extract<Expr['exprKind'], { case: 'constExpr' }>['value']['constantKind'];

const REFUSED_CONSTANTS: Partial<Record<NonNullable<Constant['case']>, string>> = {
  nullValue: 'no fact is null: write has(orb.age_days) or !has(orb.age_days), for example',
  doubleValue: 'there are no doubles: write a whole number, for example 850 millionths in place of 0.00085',
};

function readConstant(place: Place, constant: Constant): Node {
  if (constant.case === 'boolValue' || constant.case === 'stringValue')
    return { ...place, kind: 'constant', value: constant.value };
  if (constant.case !== 'int64Value') {
    const detail = constant.case && REFUSED_CONSTANTS[constant.case];
    return refuse(place, detail ?? 'write a whole number, a string or a boolean: facts have no other constants');
  }
  return BigInt.asIntN(64, constant.value) === constant.value
    ? { ...place, kind: 'constant', value: constant.value }
    : refuse(place, 'write an integer of 64 bits, from -9223372036854775808 to 9223372036854775807');
}

type Loop = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];
type Call = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];

const callOf = (expr: Expr | undefined): Call | undefined =>
  expr?.exprKind.case === 'callExpr' ? expr.exprKind.value : undefined;

/** The one new item of `@result + [item]`. */
function addedItem(step: Call | undefined): Expr | undefined {
  const added = step?.args[1]?.exprKind;
  return added?.case === 'listExpr' ? added.value.elements[0] : absent;
}

interface Body {
  readonly macro: MacroName;
  readonly predicate: Expr | undefined;
  readonly item: Expr | undefined;
}

/** Recognises a macro by its expansion: the parser keeps no name. `filter` is a `map` whose item is the variable. */
function bodyOf(loop: Loop): Body | undefined {
  const step = callOf(loop.loopStep);
  if (step === undefined) return undefined;
  const start = loop.accuInit?.exprKind;
  switch (step.function) {
    case '_&&_':
      return { macro: 'all', predicate: step.args[1], item: absent };
    case '_||_':
      return { macro: 'exists', predicate: step.args[1], item: absent };
    case '_?_:_':
      return start?.case === 'constExpr'
        ? { macro: 'exists_one', predicate: step.args[0], item: absent }
        : { macro: 'filter', predicate: step.args[0], item: addedItem(callOf(step.args[1])) };
    case '_+_':
      return { macro: 'map', predicate: absent, item: addedItem(step) };
    default:
      return undefined;
  }
}

function readLoop(reader: Reader, place: Place, loop: Loop): Node {
  const body = bodyOf(loop);
  if (body === undefined || loop.iterRange === undefined || loop.iterVar2 !== '')
    return refuse(place, 'write all, exists, exists_one, map or filter with one variable');
  const { macro, predicate, item } = body;
  return {
    ...place,
    kind: 'macro',
    macro,
    range: readNode(reader, loop.iterRange),
    variable: loop.iterVar,
    predicate: predicate && readNode(reader, predicate),
    item: item && readNode(reader, item),
  };
}

function readMap(reader: Reader, place: Place, map: Extract<Expr['exprKind'], { case: 'structExpr' }>['value']): Node {
  if (map.messageName !== '')
    return refuse(place, `there is no message ${map.messageName}: write a map, {"key": value}`);
  const keys: Node[] = [];
  const values: Node[] = [];
  for (const { keyKind, value } of map.entries) {
    if (keyKind.case !== 'mapKey' || value === undefined) return refuse(place, 'write a map as {"key": value}');
    keys.push(readNode(reader, keyKind.value));
    values.push(readNode(reader, value));
  }
  return { ...place, kind: 'map', keys, values };
}

function readSelect(
  reader: Reader,
  place: Place,
  select: Extract<Expr['exprKind'], { case: 'selectExpr' }>['value'],
): Node {
  const { operand, field, testOnly } = select;
  if (operand === undefined) return refuse(place, 'write the whole name of a fact');
  // The parser gives the place of the dot: a reader looks at the name behind it.
  return { ...place, at: place.at + 1, kind: 'select', of: readNode(reader, operand), field, isTest: testOnly };
}

function readCall(reader: Reader, place: Place, { function: name, target, args }: Call): Node {
  const read = args.map((arg) => readNode(reader, arg));
  return { ...place, kind: 'call', name, target: target && readNode(reader, target), args: read };
}

function readNode(reader: Reader, expr: Expr): Node {
  reader.left -= 1;
  if (reader.left < 0) throw new TooManyNodes();
  const place = { at: reader.offset(expr), expr };
  const { exprKind: found } = expr;
  switch (found.case) {
    case 'constExpr':
      return readConstant(place, found.value.constantKind);
    case 'identExpr':
      return { ...place, kind: 'name', name: found.value.name };
    case 'selectExpr':
      return readSelect(reader, place, found.value);
    case 'callExpr':
      return readCall(reader, place, found.value);
    case 'listExpr':
      return { ...place, kind: 'list', items: found.value.elements.map((item) => readNode(reader, item)) };
    case 'structExpr':
      return readMap(reader, place, found.value);
    case 'comprehensionExpr':
      return readLoop(reader, place, found.value);
    case undefined:
    default:
      return refuse(place, 'write a condition, such as orb.tier_rank < 1');
  }
}

/**
 * The tree of a parsed expression.
 * @param source the text that was parsed
 * @throws TooManyNodes more than `MAX_NODES` parts
 */
export function treeOf(parsed: Parsed, source: string): Node {
  const positions = parsed.sourceInfo?.positions ?? {};
  const offset = ({ id }: Expr): number => {
    const found = positions[String(id)] ?? 0;
    const blanks = /^\s*/.exec(source.slice(found))?.[0].length ?? 0;
    return found + blanks;
  };
  return readNode({ offset, left: MAX_NODES }, parsed.expr);
}

/** The parts right below a part. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'constant':
    case 'refused':
    case 'name':
      return [];
    case 'select':
      return [node.of];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.items;
    case 'map':
      return [...node.keys, ...node.values];
    case 'macro':
      return [node.range, ...[node.predicate, node.item].filter((part) => part !== undefined)];
    default:
      return node satisfies never;
  }
}
