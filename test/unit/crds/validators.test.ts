import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import manifestSchema from '../../../crds/schemas/manifest.schema.json' with { type: 'json' };
import orbSchema from '../../../crds/schemas/orb.schema.json' with { type: 'json' };
import orbisetSchema from '../../../crds/schemas/orbiset.schema.json' with { type: 'json' };
import publicationSchema from '../../../crds/schemas/orbpublication.schema.json' with { type: 'json' };
import secretSchema from '../../../crds/schemas/secret.schema.json' with { type: 'json' };
import { validate as manifestCheck } from '../../../crds/validators/manifest.ts';
import { validate as orbCheck } from '../../../crds/validators/orb.ts';
import { validate as orbisetCheck } from '../../../crds/validators/orbiset.ts';
import { validate as publicationCheck } from '../../../crds/validators/orbpublication.ts';
import { validate as secretCheck } from '../../../crds/validators/secret.ts';
import { formats } from '../../../core/json-schema/values.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { documents } from '../../support/crds/schema-values.ts';

interface Check {
  (value: unknown): boolean;
  errors?: readonly object[] | null;
}

const CHECKS: readonly (readonly [name: string, schema: object, generated: Check])[] = [
  ['manifest', manifestSchema, manifestCheck],
  ['orb', orbSchema, orbCheck],
  ['orbiset', orbisetSchema, orbisetCheck],
  ['publication', publicationSchema, publicationCheck],
  ['secret', secretSchema, secretCheck],
];

const errorsOf = (check: Check, value: unknown): readonly object[] => (check(value) ? [] : (check.errors ?? []));

const pin = (expires: string): JsonValue => ({ provider: 'a', expires_at: expires });
const longDescription = (length: number): readonly [string, JsonValue] => ['description', '😀'.repeat(length)];

/** Names that objects inherit, lengths in code points, and times that do not exist. */
const ODD_MEMBERS: readonly (readonly [name: string, value: JsonValue])[] = [
  ...['__proto__', 'constructor', 'toString', '$ref', 'properties'].map((name) => [name, { a: 1 }] as const),
  ...[500, 1000, 1024, 1025, 2000, 2048, 2049, 4096, 4097].map(longDescription),
  ['description', '\ud83d'],
  ['pin', pin('2026-01-31T12:00:00Z')],
  ['pin', pin('2026-02-30T12:00:00Z')],
  ['pin', null],
];

const withMember = (value: JsonValue, name: string, given: JsonValue): JsonValue =>
  isJsonObject(value) ? Object.fromEntries([...Object.entries(value), [name, given]]) : value;

/** A document, or its `spec`; in half of them with one more member of the `spec`. */
const values: fc.Arbitrary<JsonValue> = fc
  .tuple(documents, fc.boolean(), fc.option(fc.constantFrom(...ODD_MEMBERS), { freq: 2 }))
  .map(([document, isWhole, odd]) => {
    const spec = document['spec'] ?? null;
    const changed = odd === null ? spec : withMember(spec, ...odd);
    return isWhole ? withMember(document, 'spec', changed) : changed;
  });

describe('generated checks of documents', () => {
  for (const [name, schema, generated] of CHECKS)
    it(`find in ${name} documents what Ajv finds with the schema`, () => {
      const options = { allErrors: true, verbose: true, strict: true, ownProperties: true, formats };
      // The generated check leaves it out too.
      const { 'x-resource': _, ...alone } = schema as typeof schema & { readonly 'x-resource'?: unknown };
      const compiled: Check = new Ajv2020(options).compile(alone);
      fc.assert(
        fc.property(values, (value) => {
          expect(errorsOf(generated, value)).to.deep.equal(errorsOf(compiled, value));
        }),
      );
    });
});
