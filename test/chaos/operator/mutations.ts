import { isRecord } from '../../../hack/control-plane/json.ts';

/** One field set to one value; undefined: absent. */
export interface Mutation {
  /** JSON Pointer without escapes: the fields of our schemas need none. */
  readonly pointer: string;
  readonly value: unknown;
}

const UNICODE = 'ünï\u{1F600}\u0301';
const MOST_STRING = 300_000;

const WRONG: Readonly<Record<string, unknown>> = {
  string: 7,
  integer: 'seven',
  number: 'seven',
  boolean: 'true',
  object: [],
  array: {},
};

const numberOf = (schema: Readonly<Record<string, unknown>>, name: string): readonly number[] => {
  const value = schema[name];
  return typeof value === 'number' ? [value] : [];
};

function edges(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const lengths = [...numberOf(schema, 'minLength'), ...numberOf(schema, 'maxLength')];
  const strings = lengths.flatMap((length) =>
    length < MOST_STRING ? ['a'.repeat(length), 'a'.repeat(length + 1)] : [],
  );
  const numbers = [
    ...numberOf(schema, 'minimum').flatMap((least) => [least, least - 1]),
    ...numberOf(schema, 'maximum').flatMap((most) => [most, most + 1]),
  ];
  return [...strings, ...numbers];
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  object: {},
  array: [],
  integer: 0,
  number: 0,
  boolean: false,
};

function valuesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const type = typeof schema['type'] === 'string' ? schema['type'] : '';
  const listed = Array.isArray(schema['enum']) ? schema['enum'].map((value: unknown) => value) : [];
  const wrong = type in WRONG ? [WRONG[type], EMPTY[type]] : [];
  return [undefined, null, ...listed, ...edges(schema), ...wrong, ...(type === 'string' ? [UNICODE] : [])];
}

/** Named members of the schema, and the members of a map that the base has, each with its schema and value. */
function childrenOf(
  schema: Readonly<Record<string, unknown>>,
  base: unknown,
): readonly (readonly [string, unknown, unknown])[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const members = isRecord(base) ? base : {};
  const named = Object.entries(properties).map(([name, child]) => [name, child, members[name]] as const);
  const child = schema['additionalProperties'];
  if (!isRecord(child)) return named;
  return [...named, ...Object.keys(members).map((name) => [name, child, members[name]] as const)];
}

/**
 * Every field × absent, null, each enum value, the bounds and one beyond them, wrong type, empty, unicode.
 * @param base a valid spec
 */
export function mutationsOf(schema: unknown, base: unknown, pointer = ''): readonly Mutation[] {
  if (!isRecord(schema)) return [];
  return childrenOf(schema, base).flatMap(([name, child, value]) => {
    if (!isRecord(child)) return [];
    const place = `${pointer}/${name}`;
    const own = valuesOf(child).map((odd) => ({ pointer: place, value: odd }));
    // A member that the base lacks is changed as a whole: it has no members to change.
    return value === undefined ? own : [...own, ...mutationsOf(child, value, place)];
  });
}

function setAt(value: unknown, [name, ...rest]: readonly string[], odd: unknown): unknown {
  if (name === undefined) return odd;
  const { [name]: old, ...others } = isRecord(value) ? value : {};
  const changed = setAt(old, rest, odd);
  return changed === undefined ? others : { ...others, [name]: changed };
}

/** The spec with one field changed. */
export const mutate = (spec: unknown, { pointer, value }: Mutation): unknown =>
  setAt(spec, pointer.split('/').slice(1), value);
