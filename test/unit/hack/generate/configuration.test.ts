import { expect } from 'chai';
import { chartValues } from '../../../../hack/generate/configuration.ts';

const string = { type: 'string' };
const schemaOf = (properties: object): object => ({ type: 'object', properties });

describe('values of a chart', () => {
  const cases: readonly (readonly [why: string, text: string, schema: object, expected: object])[] = [
    [
      'a value of the top, with its default as JSON',
      '# -- Debug or not.\nlogLevel: info\n',
      { logLevel: { enum: ['info', 'debug'] } },
      { name: 'logLevel', type: '`info`, `debug`', fallback: '"info"', meaning: 'Debug or not.' },
    ],
    [
      'the first value of a group, whose comment stands below the name of the group',
      'image:\n  # -- Where it is.\n  tag: ""\n',
      { image: schemaOf({ tag: string }) },
      { name: 'image.tag', type: 'string', fallback: '""', meaning: 'Where it is.' },
    ],
    [
      'a comment of several lines, without what stands above its mark',
      '# A word to the reader.\n# -- Addresses; empty:\n# all of them.\ncidrs: []\n',
      { cidrs: { type: 'array', items: string } },
      { name: 'cidrs', type: 'list of string', fallback: '[]', meaning: 'Addresses; empty: all of them.' },
    ],
    [
      'a group with a comment of its own as one value',
      '# -- Of the container.\nresources:\n  limits: { cpu: 1 }\n',
      { resources: schemaOf({ limits: { type: 'object' } }) },
      { name: 'resources', type: 'object', fallback: '{"limits":{"cpu":1}}', meaning: 'Of the container.' },
    ],
    [
      'a value with one possible value',
      '# -- One writer.\nreplicas: 1\n',
      { replicas: { const: 1 } },
      { name: 'replicas', type: '`1`', fallback: '1', meaning: 'One writer.' },
    ],
    [
      'bounds, also one alone',
      '# -- Seconds.\nwait: 30\n',
      { wait: { type: 'integer', minimum: 5 } },
      { name: 'wait', type: 'integer ≥ 5', fallback: '30', meaning: 'Seconds.' },
    ],
    [
      'a map and several types',
      '# -- Any.\nlabels: {}\n',
      { labels: { type: 'object', additionalProperties: { type: ['string', 'number'] } } },
      { name: 'labels', type: 'map to string or number', fallback: '{}', meaning: 'Any.' },
    ],
  ];
  for (const [why, text, properties, expected] of cases)
    it(`tell ${why}`, () => {
      expect(chartValues(text, schemaOf(properties))).to.deep.equal([expected]);
    });

  it('refuse a value without a comment', () => {
    expect(() => chartValues('image:\n  tag: ""\n', schemaOf({ image: schemaOf({ tag: string }) }))).to.throw(
      'values.yaml: image.tag has no comment "# -- …"',
    );
  });

  it('refuse a comment that stands above an empty line', () => {
    expect(() => chartValues('# -- Something else.\n\ntag: ""\n', schemaOf({ tag: string }))).to.throw('tag has no');
  });

  it('refuse a value that the schema does not know', () => {
    expect(() => chartValues('# -- What.\nnope: 1\n', schemaOf({}))).to.throw('values.schema.json does not know nope');
  });
});
