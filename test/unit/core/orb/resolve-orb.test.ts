import { expect } from 'chai';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { listsOrb, resolveOrb } from '../../../../core/orb/resolve-orb.ts';

const id = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
};

const lookup = (...known: string[]): { orb: (namespace: string, orbId: OrbId) => string | undefined } => ({
  orb: (namespace, orbId) => known.find((entry) => entry === `${namespace} ${orbId}`),
});

const geocode = id('globex.geocode@1.0.0');

describe('resolveOrb (design.md §2)', () => {
  const rows: readonly [string, string[], string[], unknown][] = [
    [
      'an own Orb, listed or not',
      ['acme globex.geocode@1.0.0'],
      [],
      { kind: 'found', entry: 'acme globex.geocode@1.0.0' },
    ],
    [
      'the own Orb before the shared one',
      ['orb-system globex.geocode@1.0.0', 'acme globex.geocode@1.0.0'],
      ['globex.geocode'],
      { kind: 'found', entry: 'acme globex.geocode@1.0.0' },
    ],
    [
      'a shared Orb that is listed by name',
      ['orb-system globex.geocode@1.0.0'],
      ['globex.geocode'],
      { kind: 'found', entry: 'orb-system globex.geocode@1.0.0' },
    ],
    [
      'a shared Orb that is listed by id',
      ['orb-system globex.geocode@1.0.0'],
      ['globex.geocode@1.0.0'],
      { kind: 'found', entry: 'orb-system globex.geocode@1.0.0' },
    ],
    ['no shared Orb that is not listed', ['orb-system globex.geocode@1.0.0'], [], { kind: 'not-allowed' }],
    [
      'no shared Orb of another version',
      ['orb-system globex.geocode@1.0.0'],
      ['globex.geocode@2.0.0'],
      { kind: 'not-allowed' },
    ],
    ['nothing of another tenant', ['initech globex.geocode@1.0.0'], ['globex.geocode'], { kind: 'unknown' }],
  ];
  for (const [why, known, orbs, expected] of rows) {
    it(`finds ${why}`, () => {
      expect(resolveOrb(lookup(...known), { namespace: 'acme', orbs }, geocode, 'orb-system')).to.deep.equal(expected);
    });
  }

  it('does not take a longer name for a listed one', () => {
    expect(listsOrb(['globex.geo'], geocode)).to.equal(false);
  });
});
