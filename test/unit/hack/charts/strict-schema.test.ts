import { expect } from 'chai';
import { membersAt } from '../../../../hack/control-plane/json.ts';
import { schemaOfDefinition, schemaOfOpenApi, strictSchema } from '../../../../hack/charts/strict-schema.ts';

const rows: readonly (readonly [string, unknown, unknown])[] = [
  [
    'closes an object with members',
    { type: 'object', properties: { a: { type: 'string', description: 'x' } } },
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  ],
  [
    'leaves an object open that keeps unknown members',
    { type: 'object', properties: { a: {} }, 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', properties: { a: {} } },
  ],
  ['leaves a map open', { type: 'object', additionalProperties: { type: 'string' } }, undefined],
  [
    'takes a number where a number or a text may stand',
    { 'x-kubernetes-int-or-string': true },
    { type: ['integer', 'string'] },
  ],
  [
    'takes null where it may stand',
    { type: 'string', nullable: true, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'closes no condition: the schema around it names the members',
    { anyOf: [{ properties: { a: { enum: [1] } } }] },
    undefined,
  ],
  ['drops a list of nothing required', { required: [] }, {}],
  [
    'keeps a member that is called as a keyword',
    { properties: { description: { type: 'string' }, type: { type: 'string' } } },
    { properties: { description: { type: 'string' }, type: { type: 'string' } }, additionalProperties: false },
  ],
];

describe('strictSchema', () => {
  for (const [why, schema, expected] of rows)
    it(why, () => {
      expect(strictSchema(schema)).to.deep.equal(expected ?? schema);
    });
});

const OPEN_API = {
  definitions: {
    Pod: {
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
      properties: { spec: { $ref: '#/definitions/Spec' } },
    },
    Spec: { properties: { inner: { $ref: '#/definitions/Spec' } } },
    Other: {},
  },
};

describe('schemaOfOpenApi', () => {
  it('holds what the kind needs and nothing else, also when it needs itself', () => {
    const schema = schemaOfOpenApi(OPEN_API, { apiVersion: 'v1', kind: 'Pod' });
    expect(membersAt(schema, 'definitions').map(([name]) => name)).to.deep.equal(['Pod', 'Spec']);
  });

  it('knows no kind of another group', () => {
    expect(schemaOfOpenApi(OPEN_API, { apiVersion: 'apps/v1', kind: 'Pod' })).to.equal(undefined);
  });
});

describe('schemaOfDefinition', () => {
  const definition = {
    spec: {
      group: 'x.example',
      names: { kind: 'Thing' },
      versions: [
        { name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } } },
      ],
    },
  };

  it('reads the version that is asked for', () => {
    expect(schemaOfDefinition(definition, { apiVersion: 'x.example/v1', kind: 'Thing' })).to.deep.equal({
      type: 'object',
      properties: { spec: { type: 'object' } },
      additionalProperties: false,
      required: ['apiVersion', 'kind'],
    });
  });

  it('has none for another version, kind or group', () => {
    for (const [apiVersion, kind] of [
      ['x.example/v2', 'Thing'],
      ['x.example/v1', 'Other'],
      ['y.example/v1', 'Thing'],
    ] as const)
      expect(schemaOfDefinition(definition, { apiVersion, kind }), `${apiVersion} ${kind}`).to.equal(undefined);
  });
});
