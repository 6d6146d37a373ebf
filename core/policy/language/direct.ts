import { isJsonObject, type JsonValue } from '../../json/json-value.ts';
import { rootOf, type FactDefinition, type FactSchema } from '../facts/fact-schema.ts';
import type { Facts } from './port.ts';
import { VARIABLES } from './scope.ts';
import type { Node, NodeOf } from './tree.ts';

/** What a part of a condition has as its value. Whole numbers are exact. */
type Value = boolean | number | string | readonly string[] | Date;

/** Values of the variables of the macros around, the outermost first. */
type Items = readonly string[];

/**
 * A part of a condition without the evaluator. Undefined: only the evaluator can say, for example because a fact is
 * absent, which is an error with rules of its own beside `&&` and `||`.
 */
export type Direct = (facts: Facts, items: Items) => Value | undefined;

/** What an expression can name beside facts. */
interface Names {
  readonly schema: FactSchema;
  /** Variables of the policy that need no evaluator. */
  readonly variables: ReadonlyMap<string, Direct>;
  /** Variables of the macros around. */
  readonly locals: readonly string[];
}

export const NO_ITEMS: Items = [];

// The built-in guard turns a readonly array into any[].
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isText);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** A time in UTC with at most milliseconds, as facts have it; another form is left to the evaluator. */
function parseTime(text: JsonValue | undefined): Date | undefined {
  if (!isText(text) || !TIME.test(text) || text.startsWith('0000')) return undefined;
  const time = new Date(text);
  // A day that its month does not have would become one of the next month.
  return Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(text.slice(8, 10)) ? undefined : time;
}

let lastTime: { readonly text: JsonValue | undefined; readonly time: Date | undefined } = {
  text: undefined,
  time: undefined,
};

/** The rules of one run read one time, and all may read it: it is parsed once. Nobody changes a `Date` that it gives. */
function timeIn(text: JsonValue | undefined): Date | undefined {
  if (lastTime.text !== text) lastTime = { text, time: parseTime(text) };
  return lastTime.time;
}

const READERS: Partial<Record<FactDefinition['type'], (value: JsonValue | undefined) => Value | undefined>> = {
  string: (value) => (isText(value) ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined),
  timestamp: timeIn,
  'list<string>': (value) => (isTexts(value) ? value : undefined),
};

/** A fact such as `orb.score`, or `has(orb.score)`. */
function factOf(path: string, { schema }: Names, isTest: boolean): Direct | undefined {
  const definition = schema.facts.get(path);
  const read = definition && READERS[definition.type];
  const root = rootOf(path);
  if (read === undefined || root === path) return undefined;
  const name = path.slice(root.length + 1);
  return (facts) => {
    const part = Object.hasOwn(facts, root) ? facts[root] : undefined;
    if (!isJsonObject(part)) return undefined;
    const value = read(Object.hasOwn(part, name) ? part[name] : undefined);
    return isTest ? value !== undefined : value;
  };
}

function selectOf(node: NodeOf<'select'>, names: Names): Direct | undefined {
  const { of, field, isTest } = node;
  if (of.kind !== 'name' || names.locals.includes(of.name)) return undefined;
  if (of.name === VARIABLES) return isTest ? undefined : names.variables.get(field);
  return factOf(`${of.name}.${field}`, names, isTest);
}

/** Integers of the evaluator have 64 bits: a result that is not exact here is left to it. */
const exact = (value: number): number | undefined => (Number.isSafeInteger(value) ? value : undefined);

type Operation = (left: Value, right: Value) => Value | undefined;

const ofNumbers =
  (operation: (left: number, right: number) => Value | undefined): Operation =>
  (left, right) =>
    typeof left === 'number' && typeof right === 'number' ? operation(left, right) : undefined;

const ofTexts =
  (operation: (left: string, right: string) => boolean): Operation =>
  (left, right) =>
    isText(left) && isText(right) ? operation(left, right) : undefined;

/** Equality of the evaluator compares lists by their items: left to it. */
const isEqual: Operation = (left, right) =>
  typeof left === typeof right && typeof left !== 'object' ? left === right : undefined;

const not = (value: Value | undefined): boolean | undefined => (typeof value === 'boolean' ? !value : undefined);

// Texts have an order by code points there, and by UTF-16 units here: only numbers are put in order.
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['_==_', isEqual],
  ['_!=_', (left, right) => not(isEqual(left, right))],
  ['_<_', ofNumbers((left, right) => left < right)],
  ['_<=_', ofNumbers((left, right) => left <= right)],
  ['_>_', ofNumbers((left, right) => left > right)],
  ['_>=_', ofNumbers((left, right) => left >= right)],
  ['_+_', ofNumbers((left, right) => exact(left + right))],
  ['_-_', ofNumbers((left, right) => exact(left - right))],
  ['_*_', ofNumbers((left, right) => exact(left * right))],
  ['@in', (left, right) => (isText(left) && isTexts(right) ? right.includes(left) : undefined)],
  ['startsWith', ofTexts((text, part) => text.startsWith(part))],
  ['endsWith', ofTexts((text, part) => text.endsWith(part))],
  ['contains', ofTexts((text, part) => text.includes(part))],
]);

const ofTime =
  (part: (time: Date) => number) =>
  (value: Value): number | undefined =>
    value instanceof Date ? part(value) : undefined;

const OF_ONE: ReadonlyMap<string, (value: Value) => Value | undefined> = new Map<
  string,
  (value: Value) => Value | undefined
>([
  ['!_', not],
  ['size', (value) => (isList(value) ? value.length : undefined)],
  // Without a zone they are in UTC. Months and days of the week begin at 0.
  ['getFullYear', ofTime((time) => time.getUTCFullYear())],
  ['getMonth', ofTime((time) => time.getUTCMonth())],
  ['getDate', ofTime((time) => time.getUTCDate())],
  ['getDayOfWeek', ofTime((time) => time.getUTCDay())],
  ['getHours', ofTime((time) => time.getUTCHours())],
  ['getMinutes', ofTime((time) => time.getUTCMinutes())],
]);

/** `false && error` is false, and `error && false` too: whatever is undefined here is left to the evaluator. */
const LOGIC: ReadonlyMap<string, boolean> = new Map([
  ['_&&_', false],
  ['_||_', true],
]);

function callOf(node: NodeOf<'call'>, names: Names): Direct | undefined {
  const parts = (node.target === undefined ? node.args : [node.target, ...node.args]).map((part) =>
    directOf(part, names),
  );
  const [one, other] = parts;
  if (one === undefined || parts.includes(undefined)) return undefined;
  if (other === undefined) {
    const operation = OF_ONE.get(node.name);
    return (
      operation &&
      ((facts, items) => {
        const value = one(facts, items);
        return value === undefined ? undefined : operation(value);
      })
    );
  }
  if (parts.length > 2) return undefined;
  const decisive = LOGIC.get(node.name);
  if (decisive !== undefined)
    return (facts, items) => {
      const left = one(facts, items);
      if (typeof left !== 'boolean' || left === decisive) return left === decisive ? left : undefined;
      const right = other(facts, items);
      return typeof right === 'boolean' ? right : undefined;
    };
  const operation = OPERATIONS.get(node.name);
  return (
    operation &&
    ((facts, items) => {
      const left = one(facts, items);
      const right = left === undefined ? undefined : other(facts, items);
      return left === undefined || right === undefined ? undefined : operation(left, right);
    })
  );
}

function macroOf({ macro, range, variable, predicate }: NodeOf<'macro'>, names: Names): Direct | undefined {
  if ((macro !== 'exists' && macro !== 'all') || predicate === undefined) return undefined;
  const list = directOf(range, names);
  const test = directOf(predicate, { ...names, locals: [...names.locals, variable] });
  if (list === undefined || test === undefined) return undefined;
  const decisive = macro === 'exists';
  return (facts, items) => {
    const values = list(facts, items);
    if (!isTexts(values)) return undefined;
    for (const value of values) {
      const found = test(facts, [...items, value]);
      if (typeof found !== 'boolean') return undefined;
      if (found === decisive) return decisive;
    }
    return !decisive;
  };
}

function listOf({ items }: NodeOf<'list'>): Direct | undefined {
  const values = items.map((item) => (item.kind === 'constant' ? item.value : undefined));
  return isTexts(values) ? () => values : undefined;
}

function constantOf({ value }: NodeOf<'constant'>): Direct | undefined {
  if (typeof value !== 'bigint') return () => value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? () => number : undefined;
}

/**
 * The fast form of a condition: what most rules say, comparisons of facts, joined by `!`, `&&` and `||`, costs a tenth
 * of the evaluator, which looks for an overload at each step. It gives the evaluator's value or none.
 * @returns undefined: the expression has a part that only the evaluator knows
 */
export function directOf(node: Node, names: Names): Direct | undefined {
  switch (node.kind) {
    case 'constant':
      return constantOf(node);
    case 'name': {
      // The innermost of two macros with the same name holds.
      const position = names.locals.lastIndexOf(node.name);
      return position < 0 ? undefined : (_facts, items) => items[position];
    }
    case 'select':
      return selectOf(node, names);
    case 'call':
      return callOf(node, names);
    case 'list':
      return listOf(node);
    case 'macro':
      return macroOf(node, names);
    case 'refused':
    case 'map':
      return undefined;
    default:
      return node satisfies never;
  }
}
