import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { OWN_KINDS } from '../../../crds/kinds.ts';

const folder = new URL('../../../crds/definitions/', import.meta.url);
// Below the 262 144 bytes that client-side apply has for its annotation (packaging.md §1).
const MAX_BYTES = 200_000;

type Schema = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  readonly schema: Schema;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function* walk(path: string, value: unknown): Generator<Place> {
  if (!isSchema(value)) return;
  yield { path, schema: value };
  const { properties, items, additionalProperties } = value;
  for (const [name, member] of Object.entries(isSchema(properties) ? properties : {}))
    yield* walk(`${path}.${name}`, member);
  yield* walk(`${path}[]`, items);
  yield* walk(`${path}.*`, additionalProperties);
}

function schemaOf(document: unknown): unknown {
  let found = document;
  for (const step of ['spec', 'versions', 0, 'schema', 'openAPIV3Schema'])
    found =
      isSchema(found) || Array.isArray(found)
        ? Object.entries(found).find(([name]) => name === String(step))?.[1]
        : undefined;
  return found;
}

interface File {
  readonly name: string;
  readonly text: string;
  readonly places: readonly Place[];
}

async function files(): Promise<readonly File[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const document: unknown = parse(text);
      return { name, text, places: [...walk(name, schemaOf(document))] };
    }),
  );
}

// A closed object whose older form held any member: what stands there must be seen.
const KEPT = 'orbiset.yaml.spec.policies';
const OPEN = 'x-kubernetes-preserve-unknown-fields';
// Any JSON value is meant there.
const OPEN_PLACES =
  /[.](default|equals|keys|policies|test_results|test_suites\[\]|probe[.]inputs[.][*]|tests\[\][.]input[.][*])$/;
const FORBIDDEN = [
  'default',
  '$ref',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'uniqueItems',
  'propertyNames',
  'definitions',
  'nullable',
];
// A status says that nobody has looked at the object yet, or kstatus takes a new one for finished (packaging.md §3).
const UNSEEN = /[.]yaml[.]status([.]observedGeneration)?$/;
// What the platform writes itself.
const STATUS = /[.]yaml[.]status[.]/;
const MATCHES = /[.]matches[(]|size[(](?:self|name)[)]/;
/** Two words or more, and the code of the finding. */
const IN_WORDS = /^.*[A-Za-z]{2,}[ :].* [(][A-Za-z-]+[)]$/;
const REGEX = /[[][^\]\s]+[\]]|[*+)][$]|[(][?:^]/;

function rulesOf(schema: Schema): readonly { readonly rule: string; readonly message: string }[] {
  const { 'x-kubernetes-validations': found } = schema;
  const listed: readonly unknown[] = Array.isArray(found) ? found : [];
  return listed.map((one) =>
    isSchema(one) ? { rule: String(one['rule']), message: String(one['message']) } : { rule: '', message: '' },
  );
}

const rules: readonly (readonly [name: string, holds: (place: Place) => boolean])[] = [
  [
    'use no keyword that a structural schema lacks or that fills something in',
    ({ path, schema }) =>
      !FORBIDDEN.some(
        (word) => word in schema && !(word === 'default' && UNSEEN.test(path)) && !(word === 'anyOf' && path === KEPT),
      ),
  ],
  ['bound every text', ({ schema }) => schema['type'] !== 'string' || 'enum' in schema || 'maxLength' in schema],
  ['bound every list', ({ schema }) => schema['type'] !== 'array' || 'maxItems' in schema],
  ['bound every map', ({ schema }) => !('additionalProperties' in schema) || 'maxProperties' in schema],
  [
    'bound every number',
    ({ schema }) =>
      !/integer|number/.test(String(schema['type'])) ||
      'enum' in schema ||
      ('minimum' in schema && 'maximum' in schema),
  ],
  [
    'say of every list how it is merged',
    ({ schema }) => schema['type'] !== 'array' || 'x-kubernetes-list-type' in schema,
  ],
  [
    'refuse no text of a user with a pattern or a count: a rule, or an admission policy, says it in words',
    ({ path, schema }) => STATUS.test(path) || !('pattern' in schema || Number(schema['minLength']) > 0),
  ],
  [
    'say in words, with a code, what each rule about a text wants',
    ({ schema }) =>
      rulesOf(schema).every(
        ({ rule, message }) => !MATCHES.test(rule) || (IN_WORDS.test(message) && !REGEX.test(message)),
      ),
  ],
  ['are open only where any value is meant', ({ path, schema }) => schema[OPEN] !== true || OPEN_PLACES.test(path)],
];

const FILES = Object.keys(OWN_KINDS).map((name) => `${name}.yaml`);
const ENVELOPE = /[.]ya?ml([.](apiVersion|kind|metadata))?$/;

describe('the resource definitions', () => {
  for (const [name, holds] of rules)
    it(name, async () => {
      const places = (await files()).flatMap((file) => file.places).filter(({ path }) => !ENVELOPE.test(path));
      expect(places.length).to.be.greaterThan(300);
      expect(places.filter((place) => !holds(place)).map(({ path }) => path)).to.deep.equal([]);
    });

  it('describe every member, for kubectl explain', async () => {
    const places = (await files()).flatMap((file) => file.places);
    const mute = places.filter(
      ({ path, schema }) => !/[\]*]$|[.]metadata$/.test(path) && schema['description'] === undefined,
    );
    expect(mute.map(({ path }) => path)).to.deep.equal([]);
  });

  it('are small', async () => {
    const sizes = (await files()).map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }));
    expect(sizes.map(({ name }) => name).toSorted()).to.deep.equal(FILES);
    expect(sizes.filter(({ bytes }) => bytes > MAX_BYTES)).to.deep.equal([]);
  });

  it('merge conditions by type, and other named items by name', async () => {
    const lists = (await files())
      .flatMap((file) => file.places)
      .filter(({ schema }) => schema['x-kubernetes-list-type'] === 'map');
    const found = lists.map(({ path, schema }) => `${path}: ${String(schema['x-kubernetes-list-map-keys'])}`);
    expect(found.toSorted()).to.deep.equal(
      [
        ...FILES.map((file) => `${file}.status.conditions: type`),
        'orbiset.yaml.spec.vault.secrets: name',
        'orbpolicy.yaml.spec.rules: name',
        'orbpolicy.yaml.spec.tests: name',
      ].toSorted(),
    );
  });
});
