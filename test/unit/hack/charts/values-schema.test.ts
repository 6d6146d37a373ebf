import { expect } from 'chai';
import { schemaFaults } from '../../../../hack/charts/values-schema.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';
const closed = (properties: object, more: object = {}): Readonly<Record<string, unknown>> => ({
  $schema: DRAFT,
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});
const text = { type: 'string' };

const rows: readonly (readonly [string, unknown, Readonly<Record<string, unknown>>, readonly string[]])[] = [
  [
    'nothing, when both agree',
    { a: { b: '' } },
    closed({ a: { additionalProperties: false, properties: { b: text } } }),
    [],
  ],
  ['nothing of a map', { labels: { x: 'y' } }, closed({ labels: { type: 'object', additionalProperties: text } }), []],
  [
    'nothing of what a person fills in',
    { ref: {} },
    closed({ ref: { additionalProperties: false, properties: { name: text } } }),
    [],
  ],
  [
    'a value that the schema does not know',
    { a: '', b: '' },
    closed({ a: text }),
    ['b is in values.yaml and not in the schema'],
  ],
  [
    'a value that values.yaml does not name',
    { a: '' },
    closed({ a: text, b: text }),
    ['b is in the schema and not in values.yaml'],
  ],
  [
    'the same behind a reference',
    { a: { c: '' } },
    closed(
      { a: { $ref: '#/definitions/d' } },
      { definitions: { d: { additionalProperties: false, properties: { b: text } } } },
    ),
    ['a.c is in values.yaml and not in the schema', 'a.b is in the schema and not in values.yaml'],
  ],
  [
    'an object that admits more than it names',
    { a: {} },
    closed({ a: { properties: {} } }),
    ['#/a names members and admits others'],
  ],
  [
    'an object that says nothing',
    { a: {} },
    closed({ a: { type: 'object' } }),
    ['#/a does not say which members it admits'],
  ],
  [
    'nothing of global values that admit those of other charts',
    { global: { a: '' } },
    closed({ global: { additionalProperties: true, properties: { a: text } } }),
    [],
  ],
  [
    'global values that refuse those of other charts',
    { global: { a: '' } },
    closed({ global: { additionalProperties: false, properties: { a: text } } }),
    ['#/global refuses the values of other charts'],
  ],
  ['another draft', {}, closed({}, { $schema: 'x' }), [`$schema must be ${DRAFT}`]],
];

describe('schemaFaults', () => {
  for (const [why, values, schema, expected] of rows)
    it(`finds ${why}`, () => {
      expect(schemaFaults(values, schema)).to.deep.equal(expected);
    });
});
