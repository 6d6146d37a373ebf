import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { member, objectAt } from '../json/members.ts';
import { childPointer, shownPointer } from '../manifest/child-pointer.ts';
import { nearestName } from '../manifest/nearest.ts';
import { codePointLength, formats } from '../json-schema/values.ts';
import { toEnd, type Steps } from '../steps/steps.ts';

/** A place where a value does not fit a schema. */
export interface SchemaFault {
  /** JSON Pointer to the value; '' when a hostile name makes it longer than 1024 characters. */
  readonly pointer: string;
  readonly keyword: string;
  /** One sentence. It names members and bounds of the schema, never values. */
  readonly detail: string;
  readonly suggestion?: string;
}

/** Items of a list that are checked in a later piece. */
interface Rest {
  readonly list: readonly JsonValue[];
  readonly from: number;
  readonly items: JsonValue;
  readonly pointer: string;
}

/** The root schema, for `$ref`, and the faults so far. */
interface Walk {
  readonly root: JsonValue;
  readonly faults: SchemaFault[];
  readonly most: number;
  /** Values that this piece may still visit before it leaves the items of lists to later ones. */
  left: number;
  readonly rests: Rest[];
}

/** Values in a piece: some milliseconds on a slow core. */
const PIECE = 2000;

type Check = (value: JsonValue, limit: JsonValue, schema: JsonObject) => string | undefined;

const isInteger = (value: JsonValue): boolean => typeof value === 'number' && Number.isInteger(value);

const TYPES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/** Names of types that the keyword `type` may give. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(Object.keys(TYPES));

const isOfType = (value: JsonValue, type: string): boolean =>
  Object.hasOwn(TYPES, type) && TYPES[type]?.(value) === true;

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : []);

/** Canonical text; undefined for a value that has none, such as half of a surrogate pair. */
function textOf(value: JsonValue): string | undefined {
  try {
    return jcs(value);
  } catch {
    return undefined;
  }
}

/** Equality of JSON values: the order of members does not matter, 1 and 1.0 are equal. */
export function sameValue(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  const text = textOf(one);
  return text !== undefined && text === textOf(other);
}

const bounded =
  (
    sizeOf: (value: JsonValue) => number | undefined,
    fits: (size: number, limit: number) => boolean,
    words: string,
  ): Check =>
  (value, limit) => {
    const size = sizeOf(value);
    if (size === undefined || typeof limit !== 'number' || fits(size, limit)) return undefined;
    return `It ${words} ${limit}.`;
  };

const numberOf = (value: JsonValue): number | undefined => (typeof value === 'number' ? value : undefined);
const lengthOf = (value: JsonValue): number | undefined =>
  typeof value === 'string' ? codePointLength(value) : undefined;
const countOf = (value: JsonValue): number | undefined => (isList(value) ? value.length : undefined);
const membersOf = (value: JsonValue): number | undefined =>
  isJsonObject(value) ? Object.keys(value).length : undefined;
const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

const MAX_SHOWN = 200;
const shown = (values: readonly JsonValue[]): string => {
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

/** Checks of the value itself, without its members. */
const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, limit) =>
    (isList(limit) ? limit : [limit]).some((type) => typeof type === 'string' && isOfType(value, type))
      ? undefined
      : `The value must be of type ${shown(isList(limit) ? limit : [limit])}.`,
  enum: (value, limit) =>
    listOf(limit).some((allowed) => sameValue(value, allowed)) ? undefined : `Use one of: ${shown(listOf(limit))}.`,
  const: (value, limit) => (sameValue(value, limit) ? undefined : `It must be ${shown([limit])}.`),
  minLength: bounded(lengthOf, atLeast, 'must have a length of at least'),
  maxLength: bounded(lengthOf, atMost, 'must have a length of at most'),
  minimum: bounded(numberOf, atLeast, 'must be at least'),
  maximum: bounded(numberOf, atMost, 'must be at most'),
  minItems: bounded(countOf, atLeast, 'must have items: at least'),
  maxItems: bounded(countOf, atMost, 'must have items: at most'),
  minProperties: bounded(membersOf, atLeast, 'must have members: at least'),
  maxProperties: bounded(membersOf, atMost, 'must have members: at most'),
  pattern: (value, limit, schema) => {
    if (typeof value !== 'string' || typeof limit !== 'string' || new RegExp(limit, 'u').test(value)) return undefined;
    const about = member(schema, 'description');
    return typeof about === 'string' ? about : `It must match ${limit}.`;
  },
  format: (value, limit) => {
    const check = typeof limit === 'string' && Object.hasOwn(FORMATS, limit) ? FORMATS[limit] : undefined;
    if (check === undefined || typeof value !== 'string' || check(value)) return undefined;
    return `It must be a ${shown([limit])}.`;
  },
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => UUID.test(text),
  'date-time': (text) => DATE_TIME.test(text) && formats['date-time'](`${text.slice(0, 19).toUpperCase()}Z`),
};

function add(walk: Walk, fault: SchemaFault): void {
  if (walk.faults.length < walk.most) walk.faults.push({ ...fault, pointer: shownPointer(fault.pointer) });
}

const isFull = ({ faults, most }: Walk): boolean => faults.length >= most;

/** A schema in `definitions` or `$defs` of the root: `#/definitions/NAME`. */
function resolved(schema: JsonValue, { root }: Walk): JsonValue {
  const ref = member(schema, '$ref');
  if (typeof ref !== 'string') return schema;
  const [, list = '', name = ''] = /^#\/(definitions|\$defs)\/([A-Za-z]+)$/.exec(ref) ?? [];
  return objectAt(objectAt(root, list), name);
}

function checkUnknown(value: JsonObject, schema: JsonObject, pointer: string, walk: Walk): void {
  const known = objectAt(schema, 'properties');
  const others = member(schema, 'additionalProperties');
  if (others === undefined || others === true) return;
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    if (isFull(walk)) return;
    const inner = childPointer(pointer, name);
    if (others !== false) {
      visit(value[name] ?? null, others, inner, walk);
      continue;
    }
    const suggestion = nearestName(name, Object.keys(known));
    const label = name.length > 64 ? `${name.slice(0, 64)}…` : name;
    const detail = `"${label}" is not known here; known: ${shown(Object.keys(known))}.`;
    add(walk, {
      pointer: inner,
      keyword: 'additionalProperties',
      detail,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }
}

function checkMembers(value: JsonObject, schema: JsonObject, pointer: string, walk: Walk): void {
  for (const name of listOf(member(schema, 'required')))
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      add(walk, { pointer: childPointer(pointer, name), keyword: 'required', detail: `"${name}" is missing; add it.` });
  for (const [name, inner] of Object.entries(objectAt(schema, 'properties')))
    if (Object.hasOwn(value, name)) visit(value[name] ?? null, inner, childPointer(pointer, name), walk);
  const names = member(schema, 'propertyNames');
  if (names !== undefined)
    for (const name of Object.keys(value)) {
      if (isFull(walk)) return;
      visit(name, names, childPointer(pointer, name), walk);
    }
  checkUnknown(value, schema, pointer, walk);
}

/** @returns false when the value has another type: its members then say nothing */
function checkKeywords(value: JsonValue, schema: JsonObject, pointer: string, walk: Walk): boolean {
  for (const [keyword, limit] of Object.entries(schema)) {
    const detail = Object.hasOwn(CHECKS, keyword) ? CHECKS[keyword]?.(value, limit, schema) : undefined;
    if (detail === undefined) continue;
    add(walk, { pointer, keyword, detail });
    if (keyword === 'type') return false;
  }
  return true;
}

function checkItems({ list, from, items, pointer }: Rest, walk: Walk): void {
  for (let index = from; index < list.length && !isFull(walk); index += 1) {
    if (walk.left <= 0) {
      walk.rests.push({ list, from: index, items, pointer });
      return;
    }
    visit(list[index] ?? null, items, childPointer(pointer, index), walk);
  }
}

function visit(value: JsonValue, given: JsonValue, pointer: string, walk: Walk): void {
  walk.left -= 1;
  const schema = resolved(given, walk);
  if (isFull(walk) || !isJsonObject(schema)) return;
  if (!checkKeywords(value, schema, pointer, walk)) return;
  if (isJsonObject(value)) checkMembers(value, schema, pointer, walk);
  const items = member(schema, 'items');
  if (isList(value) && items !== undefined) checkItems({ list: value, from: 0, items, pointer }, walk);
}

/**
 * Compares a value with a JSON Schema, without making code of it. It knows the keywords that a suite may use
 * (trust.md §8.3), and for schemas of this repository also `$ref`, `pattern`, `format`, `propertyNames` and bounds of
 * members. Other keywords are ignored: whoever takes a schema of a stranger checks its keywords first. Each value is
 * visited once, and the walk ends after `most` faults, so a large wrong document costs little. Long lists are visited in
 * pieces; faults in the rest of a list come after those of what stands behind it.
 * @param schema at most 128 levels deep, like the value
 * @param most largest number of faults that are returned, at least 1
 */
export function* schemaFaultSteps(value: JsonValue, schema: JsonValue, most = 20): Steps<readonly SchemaFault[]> {
  const walk: Walk = { root: schema, faults: [], most, left: PIECE, rests: [] };
  visit(value, schema, '', walk);
  // It grows meanwhile. Nothing is taken off its front: of a long list that would move all the rest, each time.
  for (const rest of walk.rests) {
    if (isFull(walk)) break;
    if (walk.left <= 0) {
      yield;
      walk.left = PIECE;
    }
    checkItems(rest, walk);
  }
  return walk.faults;
}

/** As `schemaFaultSteps`, at once. */
export const schemaFaults = (value: JsonValue, schema: JsonValue, most = 20): readonly SchemaFault[] =>
  toEnd(schemaFaultSteps(value, schema, most));
