import type { FactSchema, FactType } from '../../core/policy/facts/fact-schema.ts';

/** A number from 0 to below 1. */
type Random = () => number;
type Type = FactType | 'duration';

/** Chooses parts of expressions. */
interface Chooser {
  readonly random: Random;
  readonly schema: FactSchema;
  /** Items of the macros around. */
  readonly items: readonly string[];
}

const pick = <Item>({ random }: Chooser, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
};

const TEXTS = ['""', '"prod"', '"acme.mailer@1.2.0"', "'a.b'", '"é😀"', '"runs:execute"', '"12"', '"true"'];
const NUMBERS = ['0', '1', '-1', '70', '9223372036854775807', '-9223372036854775808', '0x10'];
const TIMES = ['timestamp("2026-01-01T00:00:00Z")', 'timestamp("2026-11-20T10:00:00.5Z")', 'timestamp("x")'];
const SPANS = ['duration("1h")', 'duration("-90s")', 'duration("1.5s")'];
const PATTERNS = ['"^a"', '"[a-z]+[.]x?"', '"(prod|test)$"', '""', '"\\\\d{1,3}"'];

type Make = (chooser: Chooser, depth: number) => string;

const factsOf = ({ schema }: Chooser, type: Type): readonly string[] =>
  [...schema.facts.values()].filter((fact) => fact.type === type).map(({ path }) => path);

const leaf =
  (type: Type, constants: readonly string[]): Make =>
  (chooser) => {
    const names = type === 'string' ? [...factsOf(chooser, type), ...chooser.items] : factsOf(chooser, type);
    return pick(chooser, names.length > 0 && chooser.random() < 0.7 ? names : constants);
  };

const of =
  (type: Type): Make =>
  (chooser, depth) =>
    makeOf(type, chooser, depth - 1);
const join =
  (...parts: readonly (string | Make)[]): Make =>
  (chooser, depth) =>
    parts.map((part) => (typeof part === 'string' ? part : part(chooser, depth))).join('');
const oneOf =
  (...texts: readonly string[]): Make =>
  (chooser) =>
    pick(chooser, texts);

/** A macro whose item has a name of its own. */
const macro =
  (range: Type, call: string, body: Type): Make =>
  (chooser, depth) => {
    const item = `i${chooser.items.length}`;
    const inner = { ...chooser, items: [...chooser.items, item] };
    return `${makeOf(range, chooser, depth - 1)}.${call}(${item}, ${makeOf(body, inner, depth - 1)})`;
  };

const compare = oneOf('==', '!=', '<', '<=', '>', '>=');
const LIST = 'list<string>';
const MAP = 'map<string, string>';
const ternary = (type: Type): Make => join('(', of('bool'), ' ? ', of(type), ' : ', of(type), ')');

const FORMS: Readonly<Record<Type, { readonly leaf: Make; readonly forms: readonly Make[] }>> = {
  bool: {
    leaf: leaf('bool', ['true', 'false']),
    forms: [
      join('(', of('bool'), oneOf(' && ', ' || ', ' == ', ' != '), of('bool'), ')'),
      join('!', of('bool')),
      join('(', of('int'), compare, of('int'), ')'),
      join('(', of('string'), compare, of('string'), ')'),
      join('(', of('timestamp'), compare, of('timestamp'), ')'),
      join('(', of('duration'), compare, of('duration'), ')'),
      join('(', of(LIST), oneOf(' == ', ' != '), of(LIST), ')'),
      join('(', of(MAP), oneOf(' == ', ' != '), of(MAP), ')'),
      join('(', of('string'), ' in ', of(LIST), ')'),
      join('(', of('string'), ' in ', of(MAP), ')'),
      join(of('string'), oneOf('.startsWith', '.endsWith', '.contains'), '(', of('string'), ')'),
      join(of('string'), '.matches(', oneOf(...PATTERNS), ')'),
      join('has(', oneOf('orb.labels.tier', 'orb.age_days', 'orb.score', 'request.fields', 'orbiset.labels.x'), ')'),
      join('bool(', of('string'), ')'),
      macro(LIST, 'all', 'bool'),
      macro(LIST, 'exists', 'bool'),
      macro(LIST, 'exists_one', 'bool'),
      macro(MAP, 'all', 'bool'),
      macro(MAP, 'exists', 'bool'),
      ternary('bool'),
    ],
  },
  int: {
    leaf: leaf('int', NUMBERS),
    forms: [
      join('(', of('int'), oneOf(' + ', ' - ', ' * ', ' / ', ' % '), of('int'), ')'),
      join('-(', of('int'), ')'),
      join('size(', of('string'), ')'),
      join(of(LIST), '.size()'),
      join('size(', of(MAP), ')'),
      join('int(', of('string'), ')'),
      join(of('timestamp'), oneOf('.getFullYear()', '.getMonth()', '.getDate()', '.getDayOfWeek()', '.getHours()')),
      join(of('duration'), oneOf('.getHours()', '.getMinutes()', '.getSeconds()')),
      ternary('int'),
    ],
  },
  string: {
    leaf: leaf('string', TEXTS),
    forms: [
      join('(', of('string'), ' + ', of('string'), ')'),
      join('string(', of('int'), ')'),
      join('string(', of('bool'), ')'),
      join(of(LIST), '[', of('int'), ']'),
      join(of(MAP), '[', of('string'), ']'),
      join(oneOf('orb.labels', 'orbiset.labels'), '.tier'),
      ternary('string'),
    ],
  },
  timestamp: {
    leaf: leaf('timestamp', TIMES),
    forms: [join('(', of('timestamp'), oneOf(' + ', ' - '), of('duration'), ')'), ternary('timestamp')],
  },
  duration: {
    leaf: leaf('duration', SPANS),
    forms: [
      join('(', of('timestamp'), ' - ', of('timestamp'), ')'),
      join('(', of('duration'), oneOf(' + ', ' - '), of('duration'), ')'),
    ],
  },
  [LIST]: {
    leaf: leaf(LIST, ['["prod"]', '["a.b", "x"]']),
    forms: [
      join('[', of('string'), ', ', of('string'), ']'),
      join('(', of(LIST), ' + ', of(LIST), ')'),
      macro(LIST, 'filter', 'bool'),
      macro(LIST, 'map', 'string'),
      macro(MAP, 'filter', 'bool'),
      ternary(LIST),
    ],
  },
  [MAP]: {
    leaf: leaf(MAP, ['{"tier": "prod"}', '{"a": "b", "tier": "x"}']),
    forms: [join('{', oneOf(...TEXTS), ': ', of('string'), '}'), ternary(MAP)],
  },
};

function makeOf(type: Type, chooser: Chooser, depth: number): string {
  const { leaf: simple, forms } = FORMS[type];
  return depth <= 0 || chooser.random() < 0.15 ? simple(chooser, depth) : pick(chooser, forms)(chooser, depth);
}

/** A random condition about facts, of the right types, whose parts nest at most that deep. */
export const randomCondition = (random: Random, schema: FactSchema, depth: number): string =>
  makeOf('bool', { random, schema, items: [] }, depth);
