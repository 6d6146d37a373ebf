import type { Analysis } from './analyse.ts';
import { refuse, rootsOf, type Inside, type Scope } from './scope.ts';
import type { Node, NodeOf } from './tree.ts';
import { BOOL, stringOf, typeName, type Type } from './types.ts';

/** Deepest macros inside one another (policy.md §1.2). */
const MAX_NESTING = 2;

/** `map` and `filter` copy the list that they make for each item. */
const APPEND_UNITS = 20;

type Analyse = (scope: Scope, node: Node, inside: Inside) => Analysis;

const NONE: Analysis = { type: undefined, units: 0 };

const itemsOf = (range: Type): number => (range.kind === 'list' || range.kind === 'map' ? range.maxItems : 0);

const itemOf = (range: Type | undefined): Type | undefined => {
  if (range?.kind === 'list') return range.item;
  return range?.kind === 'map' ? stringOf(range.maxKeyLength) : undefined;
};

function refuseWhere(scope: Scope, node: NodeOf<'macro'>, inside: Inside): void {
  const { macro, variable } = node;
  if (inside.nesting >= MAX_NESTING)
    refuse(scope, 'too-deep', node, `${macro} stands in ${inside.nesting} others: at most ${MAX_NESTING} may nest`);
  if (rootsOf(scope.schema).includes(variable) || inside.locals.has(variable))
    refuse(scope, 'type-error', node, `${variable} means something else here: give the item another name`);
}

function resultOf(node: NodeOf<'macro'>, range: Type, item: Type | undefined): Type | undefined {
  if (node.item === undefined) return BOOL;
  return item && { kind: 'list', item, maxItems: itemsOf(range) };
}

function analysePredicate(scope: Scope, { predicate }: NodeOf<'macro'>, inside: Inside, analyse: Analyse): Analysis {
  if (predicate === undefined) return NONE;
  const found = analyse(scope, predicate, inside);
  if (found.type !== undefined && found.type.kind !== 'bool')
    refuse(scope, 'type-error', predicate, `write a condition, not a ${typeName(found.type)}`);
  return found;
}

/** Type and cost of `all`, `exists`, `exists_one`, `map` and `filter`: of the range, and of the body for each item. */
export function analyseMacro(scope: Scope, node: NodeOf<'macro'>, inside: Inside, analyse: Analyse): Analysis {
  refuseWhere(scope, node, inside);
  const range = analyse(scope, node.range, inside);
  const item = itemOf(range.type);
  if (range.type === undefined) return { type: undefined, units: range.units };
  if (item === undefined) {
    const detail = `${node.macro} goes over a list or a map, not a ${typeName(range.type)}`;
    return { type: refuse(scope, 'type-error', node.range, detail), units: range.units };
  }
  const locals = new Map([...inside.locals, [node.variable, item]]);
  const body: Inside = { ...inside, locals, nesting: inside.nesting + 1 };
  const predicate = analysePredicate(scope, node, body, analyse);
  const made = node.item === undefined ? NONE : analyse(scope, node.item, body);
  const perItem = predicate.units + made.units + 2 + (node.item === undefined ? 0 : APPEND_UNITS);
  const units = range.units + itemsOf(range.type) * perItem;
  return { type: resultOf(node, range.type, made.type), units };
}
