import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { newestOntology } from '../../../../hack/generate/ontology.ts';
import { isRecord } from '../../../../hack/control-plane/json.ts';

const SCHEMA = new URL('../../../../core/ontology/orb-ontology.schema.json', import.meta.url);
const FIRST = { file: 'first.json', version: '1.0.0', value: ORB_ONTOLOGY };
const { flag, ...TERMS } = ORB_ONTOLOGY.terms;

/** The file of the next version, with these members over those of the first. */
const next = (members: Readonly<Record<string, unknown>>): typeof FIRST & { readonly value: unknown } => ({
  file: 'next.json',
  version: '1.1.0',
  value: { ...ORB_ONTOLOGY, version: '1.1.0', ...members },
});

describe('newestOntology', () => {
  let schema: object;
  before(async () => {
    const value: unknown = JSON.parse(await readFile(SCHEMA, 'utf8'));
    schema = isRecord(value) ? value : {};
  });

  it('is the last one, which adds to the one before', () => {
    const added = {
      ...ORB_ONTOLOGY.terms,
      mass: { types: ['number'], sensitivity: 'none', description: 'Kilograms.' },
    };
    expect(newestOntology([FIRST, next({ terms: added })], schema).version).to.equal('1.1.0');
    expect(newestOntology([FIRST], schema)).to.equal(ORB_ONTOLOGY);
  });

  it('may deprecate a term, and names what replaces it', () => {
    const deprecated = { ...flag, deprecated: true };
    const replaced = { ...TERMS, flag: { ...deprecated, replaced_by: 'label' } };
    expect(newestOntology([FIRST, next({ terms: replaced })], schema).version).to.equal('1.1.0');
    expect(() => newestOntology([FIRST, next({ terms: { ...TERMS, flag: deprecated } })], schema)).to.throw(
      'replaced_by',
    );
  });

  const refused: readonly [why: string, members: Readonly<Record<string, unknown>>, message: string][] = [
    ['lacks a term of the one before', { terms: TERMS }, 'next.json: it lacks flag, which 1.0.0 has'],
    ['has the version of another file', { version: '1.2.0' }, 'next.json: its version is 1.2.0'],
    ['has another id', { id: 'ontology' }, 'must be equal to constant'],
    ['has a member that is not known', { rules: {} }, 'additionalProperties'],
    ['has a term without types', { terms: { ...TERMS, flag: { ...flag, types: [] } } }, '/terms/flag/types'],
    ['has a type that JSON lacks', { terms: { ...TERMS, flag: { ...flag, types: ['null'] } } }, '/terms/flag/types/0'],
    ['has an unknown sensitivity', { terms: { ...TERMS, flag: { ...flag, sensitivity: 'low' } } }, '/sensitivity'],
    ['has a private term', { terms: { ...ORB_ONTOLOGY.terms, 'x-flag': flag } }, 'propertyNames'],
    [
      'has a capability whose term is not there',
      {
        capabilities: {
          ...ORB_ONTOLOGY.capabilities,
          'a.b': { effect: 'none', inputs: ['mass'], outputs: [], description: 'x' },
        },
      },
      'it names mass and does not have it',
    ],
    [
      'has a capability with an unknown effect',
      {
        capabilities: {
          ...ORB_ONTOLOGY.capabilities,
          'a.b': { effect: 'some', inputs: [], outputs: [], description: 'x' },
        },
      },
      '/effect',
    ],
  ];
  for (const [why, members, message] of refused)
    it(`refuses a file that ${why}`, () => {
      expect(() => newestOntology([FIRST, next(members)], schema)).to.throw(message);
    });

  it('refuses a folder without a version', () => {
    expect(() => newestOntology([], schema)).to.throw('no version');
  });
});
