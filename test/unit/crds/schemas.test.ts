import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { isRecord } from '../../../hack/control-plane/json.ts';

const folder = new URL('../../../crds/schemas/', import.meta.url);

/** A schema inside a schema file, with where it stands. */
interface Place {
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const NAMED = ['properties', '$defs'];
const INNER = ['items', 'additionalProperties', 'propertyNames'];

function* walk(path: string, schema: unknown): Generator<Place> {
  if (!isRecord(schema)) return;
  yield { path, schema };
  for (const keyword of NAMED)
    for (const [name, inner] of Object.entries(schema[keyword] ?? {})) yield* walk(`${path}/${keyword}/${name}`, inner);
  for (const keyword of INNER) yield* walk(`${path}/${keyword}`, schema[keyword]);
  const branches: unknown = schema['oneOf'];
  if (Array.isArray(branches)) for (const branch of branches) yield* walk(`${path}/oneOf`, branch);
}

/** The member `x-resource` at the root of a kind is no part of its schema. */
const withoutResource = (schema: unknown): unknown =>
  isRecord(schema) ? Object.fromEntries(Object.entries(schema).filter(([name]) => name !== 'x-resource')) : schema;

async function places(): Promise<readonly Place[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.schema.json'));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return texts.flatMap((text, index) => [...walk(names[index] ?? '', withoutResource(JSON.parse(text)))]);
}

// JSON Schema that a structural schema of Kubernetes can say too; propertyNames becomes a CEL rule, oneOf of types an open field.
const KEYWORDS = new Set([
  '$schema',
  '$id',
  '$ref',
  '$defs',
  'title',
  'description',
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
  'items',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'maxProperties',
  'oneOf',
]);

const rules: readonly (readonly [name: string, holds: (schema: Place['schema']) => boolean])[] = [
  [
    'use no keyword that a resource definition can not say',
    (schema) => Object.keys(schema).every((keyword) => KEYWORDS.has(keyword)),
  ],
  ['fill nothing in', (schema) => !Object.hasOwn(schema, 'default')],
  [
    'bound every text',
    ({ type, enum: values, maxLength }) => type !== 'string' || values !== undefined || maxLength !== undefined,
  ],
  ['bound every list', ({ type, maxItems }) => type !== 'array' || maxItems !== undefined],
  [
    'bound every number',
    ({ type, minimum, maximum, enum: values }) =>
      !['integer', 'number'].includes(String(type)) ||
      values !== undefined ||
      (minimum !== undefined && maximum !== undefined),
  ],
  [
    'bound every map',
    ({ type, additionalProperties, maxProperties }) =>
      type !== 'object' || !isRecord(additionalProperties) || maxProperties !== undefined,
  ],
  ['use patterns that RE2 has', ({ pattern }) => typeof pattern !== 'string' || !/\(\?|\\[1-9]/.test(pattern)],
];

describe('the schemas of crds', () => {
  for (const [name, holds] of rules)
    it(name, async () => {
      const all = await places();
      expect(all.length).to.be.greaterThan(100);
      expect(all.filter(({ schema }) => !holds(schema)).map(({ path }) => path)).to.deep.equal([]);
    });

  it('close every object of the manifest', async () => {
    const open = (await places()).filter(
      ({ path, schema }) =>
        path.startsWith('manifest') && schema['type'] === 'object' && schema['additionalProperties'] === undefined,
    );
    expect(open.map(({ path }) => path)).to.deep.equal([]);
  });

  it('give execution exactly the members of the design', async () => {
    const execution = (await places()).find(({ path }) => path === 'manifest.schema.json/$defs/execution');
    const expected =
      'type method url headers body_template timeout_ms connect_timeout_ms attempt_timeout_ms body_idle_ms idempotent idempotency_header retry slo_ms follow_redirects expose_error_body probe max_response_bytes';
    expect(Object.keys(execution?.schema['properties'] ?? {}).toSorted()).to.deep.equal(expected.split(' ').toSorted());
  });

  it('let the status hold the actor of any pin: what does not fit is never written', async () => {
    const all = await places();
    const most = (path: string): unknown => all.find((place) => place.path.endsWith(path))?.schema['maxLength'];
    expect(most('orb.schema.json/$defs/pin/properties/actor')).to.equal(320);
    expect(most('status/orb.schema.json/$defs/failoverSwap/properties/actor')).to.equal(320);
  });

  it('describe every member of the manifest', async () => {
    const members = (await places()).filter(({ path }) => /^manifest.*\/properties\/\w+$/.test(path));
    const mute = members.filter(({ schema }) => schema['description'] === undefined && schema['$ref'] === undefined);
    expect(mute.map(({ path }) => path)).to.deep.equal([]);
  });
});
