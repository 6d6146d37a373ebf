import { isRecord, type Json } from '../control-plane/json.ts';
import { PATTERN_FORMS } from './pattern-forms.ts';

/** A CEL rule of a resource definition (`x-kubernetes-validations`). */
export interface CelRule {
  readonly rule: string;
  /** One sentence that says what to write. */
  readonly message: string;
  /** Also runs without an old value; `oldSelf` is then optional. */
  readonly optionalOldSelf?: boolean;
}

/** Rules that JSON Schema can't express for an object or member, by place: see `extras.ts`. */
export interface Extra {
  readonly rules?: readonly CelRule[];
  /** For lists whose items have a name: the names are unique, and merges use them. */
  readonly mapKeys?: readonly string[];
  /**
   * Of a closed object: members that are not in the schema are refused when an object is written, and kept in objects
   * that are older. Otherwise the API server drops them, and nobody sees that they stood there.
   */
  readonly keepsUnknown?: boolean;
  /** A rule for each item of these lists would cost too much: an admission policy of the chart says the pattern in words. */
  readonly byAdmission?: boolean;
  /** What the format of a text says, as a condition: a rule sees a text with a format as another type. */
  readonly formatRule?: string;
  /** Default that the API server sets. */
  readonly default?: number | Readonly<Record<string, never>>;
}

/** One schema file, with the extras for its places. */
export interface Source {
  readonly schema: Json;
  /** By path: `$defs/NAME`, or `properties/NAME` and so on below one. */
  readonly extras: Readonly<Record<string, Extra>>;
  /** Patterns become rules with a message in words; false when absent. */
  readonly inWords?: boolean;
}

// Keywords that are the same in both dialects.
const COPIED = [
  'type',
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
];

/** Any JSON value: a field that is not described further. */
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

const isOpen = (schema: Json): boolean => Object.keys(schema).every((keyword) => keyword === 'description');

function resolved(source: Source, schema: Json, path: string): { schema: Json; path: string } {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return { schema, path };
  const name = reference.replace('#/$defs/', '');
  const definitions = source.schema['$defs'];
  const target = isRecord(definitions) ? definitions[name] : undefined;
  if (!isRecord(target)) throw new TypeError(`${path}: nothing is at ${reference}`);
  return { schema: target, path: `$defs/${name}` };
}

/**
 * `propertyNames` has no structural form, so it becomes a rule of the map. Rules can't read maps with values of any
 * type.
 */
function nameRule(
  source: Source,
  { propertyNames: names, additionalProperties: members }: Json,
  path: string,
): readonly CelRule[] {
  if (!isRecord(names) || (isRecord(members) && isOpen(members))) return [];
  const { schema } = resolved(source, names, path);
  const { pattern, maxLength } = schema;
  const description = names['description'] ?? schema['description'];
  const rule = `self.all(name, size(name) <= ${String(maxLength)} && name.matches(${JSON.stringify(pattern)}))`;
  if (typeof description !== 'string') throw new TypeError(`${path}: describe the names of its members in words`);
  return [{ rule, message: `A name does not fit. ${description} (schema-propertyNames)` }];
}

/** Only the members of the schema, said without the members themselves: each subset of the names, and no further one. */
function onlyKnown(names: readonly string[]): Json {
  const subsets = names.reduce<readonly (readonly string[])[]>(
    (known, name) => [...known, ...known.map((subset) => [...subset, name])],
    [[]],
  );
  return {
    ...ANYTHING,
    anyOf: subsets.map((subset) => ({
      ...(subset.length === 0 ? {} : { required: subset }),
      maxProperties: subset.length,
    })),
  };
}

function membersOf(source: Source, { properties, additionalProperties }: Json, path: string): Json {
  const { keepsUnknown = false } = source.extras[path] ?? {};
  if (isRecord(properties))
    return {
      ...(keepsUnknown ? onlyKnown(Object.keys(properties)) : {}),
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [
          name,
          toStructural(source, member, `${path}/properties/${name}`),
        ]),
      ),
    };
  if (additionalProperties === true) return ANYTHING;
  return isRecord(additionalProperties)
    ? { additionalProperties: toStructural(source, additionalProperties, `${path}/additionalProperties`) }
    : {};
}

// Keywords that a rule or an admission policy says in words.
const SAID_IN_WORDS = ['pattern', 'minLength'];

// Keywords that can be kept when the type can't.
const OF_EITHER = ['items', 'maxItems', 'additionalProperties', 'maxProperties'];

/** A rule can't see these texts, and a server would answer with the pattern: an admission policy of the chart says it. */
const withoutPattern = ([keyword, value]: readonly [string, unknown]): readonly [string, unknown] =>
  isRecord(value) && value['type'] === 'string'
    ? [keyword, Object.fromEntries(Object.entries(value).filter(([name]) => !SAID_IN_WORDS.includes(name)))]
    : [keyword, value];

/** A list or a map, which has no structural form: any value, with bounds for its items or members. */
function eitherOf(source: Source, branches: readonly unknown[], path: string): Json {
  // Rules can't be typed below any value.
  const plain = { ...source, inWords: false };
  const parts = branches
    .flatMap((branch) => Object.entries(toStructural(plain, branch, path)))
    .filter(([keyword]) => OF_EITHER.includes(keyword));
  return { ...ANYTHING, ...Object.fromEntries(source.inWords === true ? parts.map(withoutPattern) : parts) };
}

function listOf(source: Source, items: unknown, { mapKeys }: Extra, path: string): Json {
  const form = mapKeys === undefined ? 'atomic' : 'map';
  return {
    items: toStructural(source, items, `${path}/items`),
    'x-kubernetes-list-type': form,
    ...(mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': mapKeys }),
  };
}

function contentOf(source: Source, schema: Json, extra: Extra, path: string): Json {
  if (isOpen(schema)) return ANYTHING;
  if (Array.isArray(schema['oneOf'])) return eitherOf(source, schema['oneOf'], path);
  if (schema['type'] === 'array') return listOf(source, schema['items'], extra, path);
  return schema['type'] === 'object' ? membersOf(source, schema, path) : {};
}

/** A rule is estimated by the longest value that it may see: above this it could cost too much. */
const MAX_MATCHED = 1024;
const isShort = (maxLength: unknown): boolean => typeof maxLength === 'number' && maxLength <= MAX_MATCHED;

const matches = (pattern: string): string => `self.matches(${JSON.stringify(pattern)})`;

/**
 * A server refuses a value beside a `pattern` with the pattern. A rule says it in words: those of the description, which
 * `orb validate` shows too.
 * @returns undefined: the keyword stays
 */
function patternRule({ pattern, maxLength, description, format }: Json, { formatRule }: Extra): CelRule | undefined {
  if (typeof pattern !== 'string' || typeof description !== 'string' || !isShort(maxLength)) return undefined;
  // Rules see a text with a format as another type.
  if (format !== undefined && formatRule === undefined) return undefined;
  const form = PATTERN_FORMS.get(pattern);
  const words = form === undefined ? description : `${description} Write ${form}.`;
  const rule = [matches(pattern), ...(formatRule === undefined ? [] : [formatRule])].join(' && ');
  return { rule, message: `${words} (schema-pattern)` };
}

/** The same for a least length: a server would count characters. */
function lengthRule({ type, minLength, description, format }: Json): CelRule | undefined {
  if (type !== 'string' || typeof minLength !== 'number' || minLength === 0 || format !== undefined) return undefined;
  if (typeof description !== 'string') return undefined;
  const least = `${minLength} character${minLength === 1 ? '' : 's'}`;
  return { rule: `size(self) >= ${minLength}`, message: `${description} Write at least ${least}. (schema-minLength)` };
}

/** The rule about a text, and the keywords that it stands for. */
function inWords(
  source: Source,
  schema: Json,
  extra: Extra,
): { readonly rules: readonly CelRule[]; readonly said: readonly string[] } {
  if (source.inWords !== true) return { rules: [], said: [] };
  if (extra.byAdmission === true) return { rules: [], said: SAID_IN_WORDS };
  const rule = patternRule(schema, extra) ?? lengthRule(schema);
  // The rule says of a short value, too, what to write.
  const said = extra.formatRule === undefined ? SAID_IN_WORDS : [...SAID_IN_WORDS, 'format'];
  return rule === undefined ? { rules: [], said: [] } : { rules: [rule], said };
}

/** A server compares an integer with the integer part of a bound: 1 would pass a minimum of 1.1. */
function fractionRule({ minimum }: Json): readonly CelRule[] {
  if (typeof minimum !== 'number' || Number.isInteger(minimum)) return [];
  return [{ rule: `self >= ${minimum}`, message: `Write at least ${minimum}. (schema-minimum)` }];
}

/**
 * A part of a JSON Schema (2020-12, as far as crds/schemas use it) as a structural schema of Kubernetes. References are
 * resolved, closed objects need no keyword, `propertyNames` becomes a CEL rule.
 * @param path its place, for `source.extras`
 */
export function toStructural(source: Source, value: unknown, path: string): Json {
  if (!isRecord(value)) throw new TypeError(`${path}: no schema`);
  const { schema, path: place } = resolved(source, value, path);
  const extra = source.extras[place] ?? {};
  const description = value['description'] ?? schema['description'];
  const { rules: ofText, said } = inWords(source, { ...schema, description }, extra);
  const rules = [...ofText, ...nameRule(source, schema, place), ...fractionRule(schema), ...(extra.rules ?? [])];
  const copied = COPIED.filter((keyword) => !said.includes(keyword));
  return {
    ...(description === undefined ? {} : { description }),
    ...(extra.default === undefined ? {} : { default: extra.default }),
    ...Object.fromEntries(copied.filter((keyword) => schema[keyword] !== undefined).map((k) => [k, schema[k]])),
    ...contentOf(source, schema, extra, place),
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
}
