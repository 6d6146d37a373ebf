import { expect } from 'chai';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import { listsOrb, resolveOrb, type SharedOrbs } from '../../../../core/orb/resolve-orb.ts';

const id = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
};

const lookup = (...known: string[]): { orb: (namespace: string, orbId: OrbId) => string | undefined } => ({
  orb: (namespace, orbId) => known.find((entry) => entry === `${namespace} ${orbId}`),
});

interface Version {
  readonly namespace: string;
  readonly manifestDigest: string;
}

/** Orbs whose entry is their digest. */
const shared = (version?: Version): SharedOrbs<string> => ({
  platformNamespace: 'orb-system',
  published: () => version,
  digestOf: (entry) => (entry.startsWith('broken') ? undefined : entry),
});

const geocode = id('globex.geocode@1.0.0');

const find = (known: readonly string[], version: Version, orbs = ['globex.geocode']): unknown =>
  resolveOrb(lookup(...known), { namespace: 'acme', orbs }, geocode, shared(version));

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
      expect(resolveOrb(lookup(...known), { namespace: 'acme', orbs }, geocode, shared())).to.deep.equal(expected);
    });
  }

  describe('of a publication', () => {
    const entry = 'globex globex.geocode@1.0.0';

    it('finds the Orb of its namespace, with the published bytes', () => {
      expect(find([entry], { namespace: 'globex', manifestDigest: entry })).to.deep.equal({ kind: 'found', entry });
    });

    it('finds other bytes to differ', () => {
      expect(find([entry], { namespace: 'globex', manifestDigest: 'other' })).to.deep.equal({ kind: 'differs' });
    });

    it('comes before the Orb of the platform', () => {
      const known = [entry, 'orb-system globex.geocode@1.0.0'];
      expect(find(known, { namespace: 'globex', manifestDigest: entry })).to.deep.equal({ kind: 'found', entry });
    });

    it('leaves the Orb of the platform where its namespace has none', () => {
      const platform = 'orb-system globex.geocode@1.0.0';
      const found = find([platform], { namespace: 'globex', manifestDigest: entry });
      expect(found).to.deep.equal({ kind: 'found', entry: platform });
    });

    it('is not found by an Orbiset that does not list it, whatever its bytes are', () => {
      for (const manifestDigest of [entry, 'other'])
        expect(find([entry], { namespace: 'globex', manifestDigest }, [])).to.deep.equal({ kind: 'not-allowed' });
    });

    it('comes after an own Orb', () => {
      const own = 'acme globex.geocode@1.0.0';
      const found = find([entry, own], { namespace: 'globex', manifestDigest: entry }, []);
      expect(found).to.deep.equal({ kind: 'found', entry: own });
    });
  });

  it('does not take a longer name for a listed one', () => {
    expect(listsOrb(['globex.geo'], geocode)).to.equal(false);
  });
});
