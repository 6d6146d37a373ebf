import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { schemaFaults, schemaFaultSteps } from '../../../../core/suite/schema-faults.ts';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { inPieces } from '../../../support/pieces.ts';
import { jsonOf } from '../../../support/suites.ts';

const fits = (value: JsonValue, schema: JsonValue): boolean => schemaFaults(value, schema).length === 0;

const plain = {
  type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null'),
  enum: fc.uniqueArray(fc.constantFrom<JsonValue>(1, 'a', null, { a: 1 }, [1]), {
    minLength: 1,
    maxLength: 3,
    selector: (value) => JSON.stringify(value),
  }),
  const: fc.constantFrom<JsonValue>(1, 'a', { a: 1 }),
  minLength: fc.nat(3),
  maxLength: fc.nat(3),
  minimum: fc.integer({ min: -2, max: 2 }),
  maximum: fc.integer({ min: -2, max: 2 }),
  minItems: fc.nat(2),
  maxItems: fc.nat(2),
  required: fc.uniqueArray(fc.constantFrom('a', 'b')),
};
const flat = fc.record(plain, { requiredKeys: [] });
const nesting = {
  items: flat,
  properties: fc.dictionary(fc.constantFrom('a', 'b'), flat, { maxKeys: 2 }),
  additionalProperties: fc.oneof(fc.boolean(), flat),
};

/** Schemas of the keywords of a suite, of two levels. */
const schemas = fc
  .tuple(flat, fc.record(nesting, { requiredKeys: [] }))
  .map(([own, inner]): JsonValue => jsonOf({ ...own, ...inner }));

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, -1, '', 'a', 'abcd', '😀😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Lists of 500 numbers in a list; those with a number in `wrong` hold texts instead. */
const table = (height: number, wrong: readonly number[]): JsonValue => ({
  rows: Array.from({ length: height }, (_, row) => Array.from({ length: 500 }, () => (wrong.includes(row) ? 'x' : 1))),
  name: 'x',
});

describe('schemaFaults', () => {
  it('accepts and refuses what Ajv does, for the keywords of a suite', () => {
    const ajv = new Ajv({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        expect(fits(value, schema)).to.equal(ajv.validate(isJsonObject(schema) ? schema : true, value));
      }),
      { numRuns: 100 },
    );
  });

  const rows: readonly (readonly [why: string, schema: JsonValue, value: JsonValue, faults: readonly string[]])[] = [
    ['a member that is missing', { required: ['a'] }, {}, ['/a required']],
    [
      'an unknown member',
      { properties: { ab: {} }, additionalProperties: false },
      { ac: 1 },
      ['/ac additionalProperties'],
    ],
    ['a value in a list', { items: { type: 'integer' } }, [1, 'a'], ['/1 type']],
    ['a pattern', { pattern: '^a$' }, 'b', [' pattern']],
    ['a name', { propertyNames: { maxLength: 1 } }, { ab: 1 }, ['/ab maxLength']],
    ['a UUID', { format: 'uuid' }, 'x', [' format']],
    ['a time that does not exist', { format: 'date-time' }, '2026-02-30T00:00:00Z', [' format']],
    ['too many members', { maxProperties: 1 }, { a: 1, b: 2 }, [' maxProperties']],
    ['a reference', { $ref: '#/definitions/text', definitions: { text: { type: 'string' } } }, 1, [' type']],
  ];
  for (const [why, schema, value, faults] of rows)
    it(`finds ${why}`, () => {
      expect(schemaFaults(value, schema).map(({ pointer, keyword }) => `${pointer} ${keyword}`)).to.deep.equal(faults);
    });

  it('suggests the name that was probably meant', () => {
    const [fault] = schemaFaults({ statuss: 1 }, { properties: { status: {} }, additionalProperties: false });
    expect(fault?.suggestion).to.equal('status');
  });

  it('stops at the largest number of faults, however long the list is', () => {
    const list = Array.from({ length: 200_000 }, () => 'x');
    expect(schemaFaults(list, { items: { type: 'integer' } }, 3)).to.have.length(3);
  });

  describe('in pieces', () => {
    const schema = {
      properties: { rows: { items: { items: { type: 'integer' } } }, name: { type: 'integer' } },
    };
    /** How many pieces there were, and the faults. */
    const walk = (value: JsonValue, most: number): readonly [number, readonly string[]] => {
      const walked = inPieces(schemaFaultSteps(value, schema, most));
      return [walked.pieces, walked.value.map(({ pointer }) => pointer)];
    };

    it('visits each value of long lists once, some thousands in a piece', () => {
      const [pieces, faults] = walk(table(100, [99]), 1000);
      // 50 000 values, and their lists.
      expect(pieces).to.be.within(20, 26);
      expect(faults).to.have.length(501);
      expect(new Set(faults).size).to.equal(501);
      // What stands behind the list comes before its rest.
      expect([faults[0], faults[1], faults.at(-1)]).to.deep.equal(['/name', '/rows/99/0', '/rows/99/499']);
    });

    it('leaves the lists of many members to later pieces, and takes them in their order', () => {
      const names = Array.from({ length: 5000 }, (_, index) => `m${index}`);
      const value = Object.fromEntries(names.map((name, index) => [name, [1, index === 10 || index > 4997 ? 'x' : 1]]));
      const walked = inPieces(schemaFaultSteps(value, { additionalProperties: { items: { type: 'integer' } } }));
      expect(walked.value.map(({ pointer }) => pointer)).to.deep.equal(['/m10/1', '/m4998/1', '/m4999/1']);
      expect(walked.pieces).to.be.within(5, 8);
    });

    it('ends with the piece in which there are enough faults', () => {
      expect(walk(table(100, [50]), 3)).to.deep.equal([13, ['/name', '/rows/50/0', '/rows/50/1']]);
    });

    it('has one piece for a short document', () => {
      expect(walk(table(3, [1]), 2)).to.deep.equal([1, ['/rows/1/0', '/rows/1/1']]);
    });
  });

  it('does not repeat a hostile name that is long', () => {
    const [fault] = schemaFaults({ ['a'.repeat(5000)]: 1 }, { additionalProperties: false });
    expect(fault?.pointer).to.equal('');
    expect(fault?.detail.length).to.be.lessThan(200);
  });
});
