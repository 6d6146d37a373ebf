import fc from 'fast-check';
import manifestSchema from '../../../crds/schemas/manifest.schema.json' with { type: 'json' };
import orbSchema from '../../../crds/schemas/orb.schema.json' with { type: 'json' };
import orbisetSchema from '../../../crds/schemas/orbiset.schema.json' with { type: 'json' };
import policySchema from '../../../crds/schemas/orbpolicy.schema.json' with { type: 'json' };
import publicationSchema from '../../../crds/schemas/orbpublication.schema.json' with { type: 'json' };
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';

type Schema = Readonly<Record<string, unknown>>;
type Values = fc.Arbitrary<JsonValue>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isValues = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);
const numberOf = (value: unknown, absent: number): number => (typeof value === 'number' ? value : absent);

// One in this number of values is at or beyond a bound, of another type, or unknown.
const ODD = 150;
const ANY: Values = fc.constantFrom<JsonValue>(
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  '5m',
  'a.b',
  [],
  ['x'],
  {},
  { a: 'b' },
  '\u{1f600}',
  'x\n',
  'x\r',
  '__proto__',
);
const HARMLESS: Values = fc.constantFrom<JsonValue>('x', 1, true, ['x'], { a: 1 });

interface Known {
  readonly good: readonly JsonValue[];
  readonly bad: readonly JsonValue[];
}

// Values of members whose form the schema does not define: free values would never reach the rules behind them.
const KNOWN: Readonly<Record<string, Known>> = {
  url: {
    good: ['https://a.example/v1', 'https://b.example/', 'https://{{orbiset.secrets.HOST}}.c.example/x?y=z'],
    bad: ['http://a.example/'],
  },
  body_template: { good: ['{"a":1}', 'text', '{"k":"{{orbiset.secrets.K}}"}'], bad: ['{"a":{{inputs.nobody}}}'] },
  orb_id: {
    good: ['acme.echo@1.0.0', 'a.b.c@0.0.1-rc.1+x', 'a.B_c@10.20.30'],
    bad: ['A.b@1.0.0', 'acme.echo@1.0', 'a.b@01.0.0'],
  },
  provider: { good: ['main'], bad: ['other', 'nobody', '-x'] },
  primary: { good: ['main', 'other', 'third'], bad: ['-x'] },
  fallbacks: { good: [['other'], ['third', 'other'], []], bad: [['main'], ['other', 'other']] },
  windows: { good: [['2m'], ['2m', '10m'], ['2m', '5m', '10m']], bad: [['10m', '2m'], ['5m', '5m'], []] },
  ramp: { good: [[100], [10, 50, 100]], bad: [[50, 50, 100], [10], [100, 10], [0, 100]] },
  from: { good: ['/body/a', '/status', '/headers/x', '/body/a~1'], bad: ['/status/1', '/x', '/body/a~2', 'body'] },
  expires_at: {
    good: ['2030-01-31T12:00:00Z', '2028-02-29T12:00:00.5Z'],
    bad: ['2030-02-30T12:00:00Z', '2030-01-31T24:00:00Z', '2030-01-31T12:00:60Z', '2030-01-31T12:00:00+01:00'],
  },
  default: { good: ['x', 'y'], bad: [1, null] },
  type: { good: ['string'], bad: ['integer', 'text'] },
  headers: {
    good: [{}, { Accept: 'text/plain' }, { 'X-A': '{{orbiset.secrets.K}}' }],
    bad: [{ 'a b': 'x' }, { Host: 'x' }, { 'x-api-key': '0123456789abcdef' }],
  },
  keys: { good: [['A'], { A: 'B' }, [], {}], bad: [['A b'], { 'A b': 'c' }, { a: 'b c' }, 'A', 1, true, null] },
};
const DURATIONS: Readonly<Record<string, readonly string[]>> = {
  timeout: ['100ms', '1s', '30s'],
  interval: ['25s', '30s'],
  min: ['15s', '60s', '1h'],
  hold_down: ['30s', '5m'],
  max: ['30m', '24h', '1h'],
};
const ODD_DURATIONS = ['1ms', '99ms', '4999ms', '5s', '14999ms', '45s', '90s', '6h', '25h', '0s', '5', '24h', '1h'];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  inputs: ['a', 'b_1', '_'],
  outputs: ['a', 'b', 'x.y'],
  providers: ['other', 'third'],
};

/** Mostly a value of the first; once in `ODD` times a value of the second. */
export const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: ODD, arbitrary: good }, { weight: 1, arbitrary: bad });

const atBounds = (schema: Schema, low: string, high: string): readonly number[] => {
  const max = numberOf(schema[high], 2 ** 31);
  const min = numberOf(schema[low], 0);
  return [min, min - 1, max, max + 1, min + 0.5];
};

function texts(schema: Schema, name: string): Values {
  const { pattern, maxLength } = schema;
  if (typeof pattern === 'string' && pattern.includes('ms|s|m|h'))
    return mostly(fc.constantFrom(...(DURATIONS[name] ?? ['15s', '60s', '5m'])), fc.constantFrom(...ODD_DURATIONS));
  const fits = typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern, 'u'), { size: '-1' }) : fc.string();
  const max = numberOf(maxLength, 64);
  const long = fc.constantFrom(max, max + 1).map((length) => 'a'.repeat(length));
  const whole = fits.filter((text) => text.length <= max);
  return mostly<JsonValue>(whole, fc.oneof<Values[]>(long, ANY));
}

function numbers(schema: Schema): Values {
  const [min = 0, , max = 1] = atBounds(schema, 'minimum', 'maximum');
  const inside = schema['type'] === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  const fits = fc.oneof(inside, fc.constantFrom(min, max)).map((value) => (Object.is(value, -0) ? 0 : value));
  return mostly<JsonValue>(fits, fc.oneof<Values[]>(fc.constantFrom(...atBounds(schema, 'minimum', 'maximum')), ANY));
}

/** Values of a JSON Schema: mostly valid values, some at its bounds, a few beyond. */
export class SchemaValues {
  readonly #root: Schema;
  constructor(root: Schema) {
    this.#root = root;
  }

  of(schema: unknown, name = ''): Values {
    if (!isSchema(schema)) return HARMLESS;
    const { $ref: reference } = schema;
    if (typeof reference === 'string') return this.of(this.definition(reference.replace('#/$defs/', '')), name);
    const known = KNOWN[name];
    if (known === undefined) return this.#typed(schema, name);
    return mostly<JsonValue>(
      fc.constantFrom(...known.good),
      fc.oneof<Values[]>(fc.constantFrom(...known.bad), this.#typed(schema, name)),
    );
  }

  definition(name: string): Schema {
    const definitions = this.#root['$defs'];
    const found = isSchema(definitions) ? definitions[name] : undefined;
    return isSchema(found) ? found : {};
  }

  #typed(schema: Schema, name: string): Values {
    const { enum: values, type, oneOf: branches } = schema;
    if (isValues(values)) return mostly<JsonValue>(fc.constantFrom(...values), ANY);
    if (Array.isArray(branches)) return fc.oneof(...branches.map((branch: unknown) => this.of(branch)));
    if (type === 'string') return texts(schema, name);
    if (type === 'integer' || type === 'number') return numbers(schema);
    if (type === 'boolean') return mostly<JsonValue>(fc.boolean(), ANY);
    if (type === 'array') return this.#lists(schema);
    return type === 'object' ? this.#objects(schema, name) : HARMLESS;
  }

  #lists(schema: Schema): Values {
    const min = numberOf(schema['minItems'], 0);
    const max = numberOf(schema['maxItems'], 4);
    const item = this.of(schema['items']);
    const few = fc.array(item, { minLength: min, maxLength: Math.min(max, min + 2) });
    const edges = max > 64 ? [min] : [min - 1, max, max + 1].filter((length) => length >= 0);
    const edge = fc.constantFrom(...edges).chain((length) => fc.array(item, { minLength: length, maxLength: length }));
    return mostly<JsonValue>(few, fc.oneof<Values[]>(edge, ANY));
  }

  #objects(schema: Schema, name: string): Values {
    const { properties, required, additionalProperties } = schema;
    if (!isSchema(properties)) return this.#maps(additionalProperties, name);
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const none = fc.constant<Entries>([]);
    const members = Object.entries(properties).map(([key, member]) => {
      const one = this.of(member, key).map((value): Entries => [[key, value]]);
      return needed.includes(key)
        ? mostly(one, none)
        : fc.oneof({ weight: 1, arbitrary: one }, { weight: 2, arbitrary: none });
    });
    const unknown = mostly(none, fc.constant<Entries>([['unknown', 1]]));
    const whole = fc.tuple(...members, unknown).map((parts) => Object.fromEntries(parts.flat()));
    return mostly<JsonValue>(whole, ANY);
  }

  #maps(members: unknown, name: string): Values {
    const good = fc.constantFrom(...(NAMES[name] ?? ['a', 'b', 'a-1']));
    const names = mostly(good, fc.constantFrom('1a', '-a', 'x y', '', 'a.b', '__proto__', 'a'.repeat(64)));
    const entries = fc.uniqueArray(fc.tuple(names, this.of(members)), { maxLength: 3, selector: ([key]) => key });
    return entries.map((pairs) => Object.fromEntries(pairs));
  }
}

type Entries = readonly (readonly [string, JsonValue])[];

const manifests = new SchemaValues(manifestSchema).of(manifestSchema);
const pins = new SchemaValues(orbSchema);
const orbisets = new SchemaValues(orbisetSchema);
const policies = new SchemaValues(policySchema);
const publications = new SchemaValues(publicationSchema);
const API = 'orbs.dev/v1alpha1';
export const documentOf = (kind: string, name: string, spec: JsonValue): JsonObject => ({
  apiVersion: API,
  kind,
  metadata: { name },
  spec,
});

const orbSpecs = fc
  .tuple(manifests, fc.option(pins.of(pins.definition('pin')), { nil: undefined, freq: 4 }))
  .map(([manifest, pin]) => (pin === undefined || !isJsonObject(manifest) ? manifest : { ...manifest, pin }));
const publicationSpecs = fc
  .tuple(publications.of(publications.definition('spec')), manifests)
  .map(([spec, manifest]) => (isJsonObject(spec) ? { ...spec, manifest } : spec));

const policySpecs = policies.of(policies.definition('spec'));

/** Documents of the three kinds, by schema: about half of them are valid. */
export const documents: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: orbSpecs.map((spec) => documentOf('Orb', 'some', spec)) },
  { weight: 2, arbitrary: orbisets.of(orbisets.definition('spec')).map((spec) => documentOf('Orbiset', 'some', spec)) },
  { weight: 1, arbitrary: publicationSpecs.map((spec) => documentOf('OrbPublication', 'some', spec)) },
);

/** OrbPolicies by their schema: about half of them are valid. */
export const policyDocuments: fc.Arbitrary<JsonObject> = fc
  .tuple(mostly(fc.constantFrom('some', 'a'.repeat(63)), fc.constantFrom('a.b', 'a'.repeat(64))), policySpecs)
  .map(([name, spec]) => documentOf('OrbPolicy', name, spec));
