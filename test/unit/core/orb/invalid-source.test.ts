import { expect } from 'chai';
import * as fc from 'fast-check';
import { orbIdsIn, sourcesOf, type InvalidSource } from '../../../../core/orb/invalid-source.ts';

const source = (place: string, ...ids: readonly string[]): InvalidSource => ({
  namespace: 'acme',
  place,
  ids,
  fault: 'a fault',
});

describe('orbIdsIn', () => {
  const rows: readonly [string, string, readonly string[]][] = [
    ['JSON', '{"orb_id": "acme.mail@1.0.0", "x": {', ['acme.mail@1.0.0']],
    ['YAML', 'orb_id: acme.mail@1.0.0\nurl: {{x}}\n', ['acme.mail@1.0.0']],
    ['quoted YAML', "spec:\n  orb_id: 'acme.mail@1.0'\n", ['acme.mail@1.0']],
    ['several documents', 'orb_id: a.a@1.0.0\n---\norb_id: a.b@1.0.0\norb_id: a.a@1.0.0\n', ['a.a@1.0.0', 'a.b@1.0.0']],
    ['another member', 'my_orb_id: a.a@1.0.0\n', []],
    ['nothing', '', []],
  ];
  for (const [why, text, ids] of rows)
    it(`reads ${why}`, () => {
      expect(orbIdsIn(text)).to.deep.equal(ids);
    });

  it('never throws, and finds at most 64', () => {
    fc.assert(fc.property(fc.string(), (text) => orbIdsIn(text).length <= 64));
    const many = Array.from({ length: 100 }, (_, n) => `orb_id: a.a@1.0.${n}\n`).join('');
    expect(orbIdsIn(many)).to.have.lengthOf(64);
  });
});

describe('sourcesOf', () => {
  const all = [
    source('exact', 'acme.mail@1.0.0'),
    source('other version', 'acme.mail@2.0'),
    source('near', 'acme.mial@1.0.0'),
    source('unknown'),
    source('far', 'globex.else@1.0.0'),
  ];
  const rows: readonly [string, string, readonly string[]][] = [
    ['those of this id alone', 'acme.mail@1.0.0', ['exact']],
    ['else those of this name', 'acme.mail@3.0.0', ['exact', 'other version']],
    ['else those of a near name', 'acme.maill@1.0.0', ['exact', 'other version', 'near']],
    ['else those whose id nobody can read', 'umbrella.thing@1.0.0', ['unknown']],
  ];
  for (const [why, id, places] of rows)
    it(`gives ${why}`, () => {
      expect(sourcesOf(id, all).map(({ place }) => place)).to.deep.equal(places);
    });

  it('gives 3 at most', () => {
    expect(
      sourcesOf(
        'a.a@1.0.0',
        [1, 2, 3, 4].map((n) => source(String(n))),
      ),
    ).to.have.lengthOf(3);
  });
});
