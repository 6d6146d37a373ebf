import { nearestName } from '../../manifest/nearest.ts';
import type { FactDefinition } from '../facts/fact-schema.ts';
import { ERROR_UNITS, FUNCTION_NAMES, overloadFor, overloadsNamed, unitsOfEquality } from './functions.ts';
import { analyseMacro } from './macros.ts';
import { presentWhen } from './presence.ts';
import { factOf, pathOf, refuse, refuseUnknown, rootsOf, VARIABLES, type Inside, type Scope } from './scope.ts';
import type { Node, NodeOf } from './tree.ts';
import { BOOL, bytesOf, joined, MAX_BYTES, stringOf, typeName, typeOfFact, type Type } from './types.ts';

/** What is known of a part: its type, undefined after an error in it, and an upper bound of its cost. */
export interface Analysis {
  readonly type: Type | undefined;
  /** Units of about 0.1 µs (policy.md §1.2). */
  readonly units: number;
}

const FACT_UNITS = 8;
/** Making a list; a map takes them once more for each entry. */
const LITERAL_UNITS = 12;
/** A time is an object of its own, checked at each reading. */
const TIME_FACT_UNITS = 80;

const sum = (parts: readonly Analysis[]): number => parts.reduce((units, part) => units + part.units, 0);
const known = (parts: readonly Analysis[]): readonly Type[] =>
  parts.map(({ type }) => type).filter((type) => type !== undefined);

function readFact(scope: Scope, node: Node, inside: Inside): Analysis | undefined {
  const fact = factOf(scope, node, inside.locals);
  if (fact === undefined) return undefined;
  if (!scope.reads.has(fact.path)) scope.reads.set(fact.path, node.at);
  const isTest = node.kind === 'select' && node.isTest;
  if (fact.isNullable && !isTest && !inside.present.has(fact.path))
    scope.problems.push({
      code: 'needs-has',
      severity: 'warning',
      at: node.at,
      detail: `${fact.path} may be absent, and then the rule fails: write has(${fact.path}) && … before it`,
    });
  return { type: isTest ? BOOL : typeOfFact(fact), units: unitsOfFact(fact, node, inside) };
}

/** The name of a root costs nothing: it is part of reading its member. */
function unitsOfFact({ type, isNullable, isStateful }: FactDefinition, node: Node, { nesting }: Inside): number {
  if (node.kind === 'name') return 0;
  const mayFail = nesting > 0 && (isNullable || isStateful);
  return (type === 'timestamp' ? TIME_FACT_UNITS : FACT_UNITS) + (mayFail ? ERROR_UNITS : 0);
}

function readVariable(scope: Scope, node: NodeOf<'select'>, path: string): Analysis {
  const name = path.slice(VARIABLES.length + 1);
  const type = scope.variables.get(name);
  if (type === undefined) refuseUnknown(scope, node, path);
  else scope.uses.add(name);
  if (node.isTest) refuse(scope, 'type-error', node, `a variable is always there: write ${path} without has()`);
  return { type: node.isTest ? undefined : type, units: FACT_UNITS };
}

function analyseSelect(scope: Scope, node: NodeOf<'select'>, inside: Inside): Analysis {
  const fact = readFact(scope, node, inside);
  if (fact !== undefined) return fact;
  const path = node.of.kind === 'name' ? pathOf(node, inside.locals) : undefined;
  if (path?.startsWith(`${VARIABLES}.`) === true) return readVariable(scope, node, path);
  return path === undefined ? analyseMember(scope, node, inside) : { type: refuseUnknown(scope, node, path), units: 0 };
}

/** A member of a map that is not a fact itself, such as a label. */
function analyseMember(scope: Scope, node: NodeOf<'select'>, inside: Inside): Analysis {
  const of = analyse(scope, node.of, inside);
  const units = of.units + FACT_UNITS + (node.isTest ? 0 : ERROR_UNITS);
  if (of.type?.kind === 'map') return { type: node.isTest ? BOOL : of.type.value, units };
  if (of.type !== undefined)
    refuse(scope, 'type-error', node, `a ${typeName(of.type)} has no member ${node.field}: take the part away`);
  return { type: undefined, units };
}

function analyseName(scope: Scope, node: NodeOf<'name'>, inside: Inside): Analysis {
  const local = inside.locals.get(node.name);
  if (local !== undefined) return { type: local, units: 1 };
  const fact = readFact(scope, node, inside);
  if (fact !== undefined) return fact;
  if (rootsOf(scope.schema).includes(node.name))
    refuse(scope, 'type-error', node, `${node.name} holds facts: write the whole name of one, such as orb.score`);
  else refuseUnknown(scope, node, node.name);
  return { type: undefined, units: 1 };
}

function analyseIndex(scope: Scope, node: NodeOf<'call'>, [of, at]: readonly (Type | undefined)[]): Type | undefined {
  if (of === undefined || at === undefined) return undefined;
  if (of.kind === 'list' && at.kind === 'int') return of.item;
  if (of.kind === 'map' && at.kind === 'string') return of.value;
  return refuse(scope, 'type-error', node, 'write list[0] with a number, or map["key"] with a string');
}

function analyseEquality(scope: Scope, node: NodeOf<'call'>, [left, right]: readonly Type[]): Analysis {
  if (left === undefined || right === undefined) return { type: undefined, units: 0 };
  const units = unitsOfEquality(left, right);
  if (joined(left, right) !== undefined) return { type: BOOL, units };
  const detail = `compare two values of one type: ${typeName(left)} is never ${typeName(right)}`;
  return { type: refuse(scope, 'type-error', node, detail), units };
}

function analyseIn(scope: Scope, node: NodeOf<'call'>, [item, container]: readonly Type[]): Analysis {
  if (item === undefined || container === undefined) return { type: undefined, units: 0 };
  const units = unitsOfEquality(container, container);
  const isItem = container.kind === 'list' && joined(item, container.item) !== undefined;
  const isKey = container.kind === 'map' && item.kind === 'string';
  if (isItem || isKey) return { type: BOOL, units };
  const detail = `${typeName(item)} can't be in ${typeName(container)}: write item in list, or "key" in map`;
  return { type: refuse(scope, 'type-error', node, detail), units };
}

function checkPattern(scope: Scope, node: NodeOf<'call'>): void {
  const [pattern] = node.args;
  if (node.name !== 'matches' || pattern === undefined) return;
  if (pattern.kind !== 'constant' || typeof pattern.value !== 'string') {
    refuse(scope, 'regex-not-literal', pattern, 'write the pattern as a string: it is compiled with the policy');
    return;
  }
  try {
    scope.patterns.compile(pattern.value);
  } catch {
    const detail = 'this is no RE2 pattern: it has no look-around, no back-references and at most 1000 repeats';
    refuse(scope, 'bad-regex', pattern, detail);
  }
}

function refuseCall(scope: Scope, node: NodeOf<'call'>, types: readonly Type[]): undefined {
  const forms = overloadsNamed(node.name);
  if (forms.length === 0) {
    const suggestion = nearestName(node.name, FUNCTION_NAMES);
    const hint = suggestion === undefined ? 'take one of the list of functions' : `did you mean ${suggestion}?`;
    return refuse(scope, 'type-error', node, `there is no function ${node.name}: ${hint}`);
  }
  const given = types.map(typeName).join(', ');
  const wanted = forms.map(({ params }) => `(${params.join(', ')})`).join(' or ');
  const name = node.name.replaceAll(/^[@_]*|_$/g, '').replaceAll('_', '');
  return refuse(scope, 'type-error', node, `${name} takes ${wanted}, not (${given})`);
}

const joinsLists = ({ name }: NodeOf<'call'>, [left, right]: readonly Type[]): Type | undefined => {
  if (name !== '_+_' || left?.kind !== 'list' || right?.kind !== 'list') return undefined;
  const item = joined(left.item, right.item);
  return item && { kind: 'list', item, maxItems: left.maxItems + right.maxItems };
};

function applyOverload(scope: Scope, node: NodeOf<'call'>, types: readonly Type[]): Analysis {
  const list = joinsLists(node, types);
  if (list?.kind === 'list') return { type: list, units: 1 + list.maxItems };
  const kinds = types.map(({ kind }) => kind);
  const form = overloadFor(node.name, node.target !== undefined, kinds);
  if (form === undefined) return { type: refuseCall(scope, node, types), units: 1 };
  return { type: form.result(types), units: form.units(types) };
}

/** What `a && b` and `a || b` know of facts in each part: the other parts have then not decided alone. */
function insideOf(node: NodeOf<'call'>, inside: Inside): Inside {
  if (node.name !== '_&&_' && node.name !== '_||_') return inside;
  const found = presentWhen(node, node.name === '_&&_', inside.locals);
  return { ...inside, present: new Set([...inside.present, ...found]) };
}

function analyseConditional(scope: Scope, node: NodeOf<'call'>, inside: Inside): Analysis {
  const [test, yes, no] = node.args;
  if (test === undefined || yes === undefined || no === undefined) return { type: undefined, units: 1 };
  const branch = (value: boolean): Inside => ({
    ...inside,
    present: new Set([...inside.present, ...presentWhen(test, value, inside.locals)]),
  });
  const condition = analyse(scope, test, inside);
  const parts = [analyse(scope, yes, branch(true)), analyse(scope, no, branch(false))];
  const units = 1 + condition.units + Math.max(...parts.map((part) => part.units));
  if (condition.type !== undefined && condition.type.kind !== 'bool')
    refuse(scope, 'type-error', test, `write a condition before "?", not a ${typeName(condition.type)}`);
  const [first, second] = known(parts);
  if (first === undefined || second === undefined) return { type: undefined, units };
  const type = joined(first, second);
  if (type === undefined) refuse(scope, 'type-error', node, 'write two values of one type around ":"');
  return { type, units };
}

function analyseCall(scope: Scope, node: NodeOf<'call'>, inside: Inside): Analysis {
  if (node.name === '_?_:_') return analyseConditional(scope, node, inside);
  checkPattern(scope, node);
  const within = insideOf(node, inside);
  const operands = node.target === undefined ? node.args : [node.target, ...node.args];
  const parts = operands.map((part) => analyse(scope, part, within));
  const units = sum(parts);
  if (node.name === '_[_]') {
    const type = analyseIndex(
      scope,
      node,
      parts.map((part) => part.type),
    );
    return { type, units: units + FACT_UNITS + ERROR_UNITS };
  }
  const types = known(parts);
  if (types.length < parts.length) return { type: undefined, units: units + 1 };
  const isEquality = node.name === '_==_' || node.name === '_!=_';
  const apply = isEquality ? analyseEquality : node.name === '@in' ? analyseIn : applyOverload;
  const applied = apply(scope, node, types);
  return { type: applied.type, units: units + applied.units };
}

function joinAll(scope: Scope, nodes: readonly Node[], parts: readonly Analysis[]): Type | undefined {
  const [first, ...others] = known(parts);
  let type = first;
  if (others.length + 1 < parts.length) return undefined;
  for (const [index, other] of others.entries()) {
    type = type && joined(type, other);
    const node = nodes[index + 1];
    if (type === undefined && node !== undefined) return refuse(scope, 'type-error', node, 'write items of one type');
  }
  return type;
}

function analyseList(scope: Scope, node: NodeOf<'list'>, inside: Inside): Analysis {
  const parts = node.items.map((item) => analyse(scope, item, inside));
  if (parts.length === 0) refuse(scope, 'type-error', node, 'an empty list has no type: compare size() with 0');
  const item = joinAll(scope, node.items, parts);
  return { type: item && { kind: 'list', item, maxItems: parts.length }, units: LITERAL_UNITS + sum(parts) };
}

function analyseMap(scope: Scope, node: NodeOf<'map'>, inside: Inside): Analysis {
  const keys = node.keys.map((key) => analyse(scope, key, inside));
  const values = node.values.map((value) => analyse(scope, value, inside));
  const units = (1 + node.values.length) * LITERAL_UNITS + sum(keys) + sum(values);
  if (values.length === 0) refuse(scope, 'type-error', node, 'an empty map has no type: compare size() with 0');
  const key = joinAll(scope, node.keys, keys);
  const value = joinAll(scope, node.values, values);
  if (key !== undefined && key.kind !== 'string') refuse(scope, 'type-error', node, 'write strings as keys');
  if (key?.kind !== 'string' || value === undefined) return { type: undefined, units };
  return { type: { kind: 'map', maxKeyLength: key.maxLength, value, maxItems: values.length }, units };
}

const constantType = (value: boolean | bigint | string): Type => {
  if (typeof value === 'boolean') return BOOL;
  return typeof value === 'bigint' ? { kind: 'int', min: value, max: value } : stringOf(value.length);
};

function analysePart(scope: Scope, node: Node, inside: Inside): Analysis {
  switch (node.kind) {
    case 'constant':
      return { type: constantType(node.value), units: 1 };
    case 'refused':
      return { type: refuse(scope, 'type-error', node, node.detail), units: 1 };
    case 'name':
      return analyseName(scope, node, inside);
    case 'select':
      return analyseSelect(scope, node, inside);
    case 'call':
      return analyseCall(scope, node, inside);
    case 'list':
      return analyseList(scope, node, inside);
    case 'map':
      return analyseMap(scope, node, inside);
    case 'macro':
      return analyseMacro(scope, node, inside, analyse);
    default:
      return node satisfies never;
  }
}

/**
 * Type and cost of a part of an expression. Errors and warnings are added to the scope.
 * A value that could become larger than `MAX_BYTES` on the way is refused.
 */
export function analyse(scope: Scope, node: Node, inside: Inside): Analysis {
  const found = analysePart(scope, node, inside);
  if (found.type !== undefined) scope.types.set(node, found.type);
  if (found.type === undefined || bytesOf(found.type) <= MAX_BYTES) return found;
  const detail = `this value could become larger than ${MAX_BYTES} bytes: shorten what is joined`;
  return { type: refuse(scope, 'too-large', node, detail), units: found.units };
}
