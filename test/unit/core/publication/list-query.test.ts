import { expect } from 'chai';
import fc from 'fast-check';
import { compare, prerelease } from 'semver';
import { ORB_STATUSES, TIERS } from '../../../../core/log-entry/entry-members.ts';
import { NOT_EVALUATED, type ListedOrb } from '../../../../core/publication/listed-orb.ts';
import { latestVersions, selectOrbs, SORTS, type ListQuery } from '../../../../core/publication/list-query.ts';
import { aListedVersion } from '../../../support/a-listed-orb.ts';

const ALL: ListQuery = { statuses: ORB_STATUSES, latest: false, sort: 'name' };
const idsOf = (orbs: Iterable<ListedOrb>): readonly string[] => [...orbs].map(({ orbId }) => orbId);
const standing = (tier: (typeof TIERS)[number], scoreBp: number): ListedOrb['standing'] => ({
  ...NOT_EVALUATED,
  tier,
  scoreBp,
  score: Math.floor(scoreBp / 100),
});

const ORBS: readonly ListedOrb[] = [
  aListedVersion('acme.mail@1.0.0', { description: 'Sends MAIL', standing: standing('gold', 9000), updatedAt: 3 }),
  aListedVersion('acme.mail@1.1.0', { status: 'deprecated', standing: standing('silver', 7000), updatedAt: 5 }),
  aListedVersion('acme.text@0.1.0', {
    capabilities: ['text.translate'],
    standing: standing('bronze', 5000),
    updatedAt: 1,
  }),
  aListedVersion('globex.sms@2.0.0', { status: 'yanked', description: 'ÄRGER', updatedAt: 5 }),
  aListedVersion('globex.text@1.0.0', { capabilities: ['text.embed', 'http.call'], standing: standing('gold', 9000) }),
];

describe('selectOrbs', () => {
  const rows: [why: string, query: Partial<ListQuery>, ids: readonly string[]][] = [
    ['everything', {}, idsOf(ORBS)],
    ['statuses', { statuses: ['active', 'deprecated'] }, [0, 1, 2, 4].map((at) => ORBS[at]?.orbId ?? '')],
    ['no status', { statuses: [] }, []],
    ['tiers', { tiers: ['silver', 'bronze'] }, ['acme.mail@1.1.0', 'acme.text@0.1.0']],
    ['a least tier', { minTier: 'silver' }, ['acme.mail@1.0.0', 'acme.mail@1.1.0', 'globex.text@1.0.0']],
    ['the least tier of all', { minTier: 'uncertified' }, idsOf(ORBS)],
    ['a part of the name', { text: 'ail' }, ['acme.mail@1.0.0', 'acme.mail@1.1.0']],
    ['a part of the description, in another case', { text: 'ends mail' }, ['acme.mail@1.0.0']],
    ['letters beyond ASCII in another case', { text: 'ärg' }, ['globex.sms@2.0.0']],
    ['no pattern', { text: '.*' }, []],
    ['a capability', { capability: 'text.embed' }, ['globex.text@1.0.0']],
    ['a prefix of capabilities', { capability: 'text.' }, ['acme.text@0.1.0', 'globex.text@1.0.0']],
    ['no prefix without the dot', { capability: 'text' }, []],
    ['an organisation', { org: 'globex' }, ['globex.sms@2.0.0', 'globex.text@1.0.0']],
    ['no part of an organisation', { org: 'glob' }, []],
    ['a time, which counts itself', { updatedSince: 3 }, ['acme.mail@1.0.0', 'acme.mail@1.1.0', 'globex.sms@2.0.0']],
    ['all filters at once', { org: 'acme', minTier: 'gold', text: 'mail' }, ['acme.mail@1.0.0']],
    [
      'the score, then the id',
      { sort: 'score' },
      ['acme.mail@1.0.0', 'globex.text@1.0.0', 'acme.mail@1.1.0', 'acme.text@0.1.0', 'globex.sms@2.0.0'],
    ],
    [
      'the newest change, then the id',
      { sort: 'updated' },
      ['acme.mail@1.1.0', 'globex.sms@2.0.0', 'acme.mail@1.0.0', 'acme.text@0.1.0', 'globex.text@1.0.0'],
    ],
    ['the latest active ones', { latest: true }, ['acme.mail@1.0.0', 'acme.text@0.1.0', 'globex.text@1.0.0']],
    ['the latest of no active one', { latest: true, statuses: ['deprecated'] }, []],
  ];
  for (const [why, query, ids] of rows) {
    it(`by ${why}`, () => {
      expect(idsOf(selectOrbs(ORBS, { ...ALL, ...query }))).to.deep.equal(ids);
    });
  }
});

const aVersion = fc
  .tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.constantFrom('', '-rc.1', '-rc.2', '-alpha'))
  .map(([major, minor, suffix]) => `${major}.${minor}.0${suffix}`);
const anOrb = fc
  .record({
    name: fc.constantFrom('acme.a', 'acme.b', 'globex.a'),
    version: aVersion,
    status: fc.constantFrom(...ORB_STATUSES),
    tier: fc.constantFrom(...TIERS),
    scoreBp: fc.nat({ max: 5 }),
    updatedAt: fc.nat({ max: 5 }),
    description: fc.constantFrom('', 'Sends mail', 'MAIL'),
    capabilities: fc.subarray(['text.translate', 'text.embed', 'http.call']),
  })
  .map(({ name, version, tier, scoreBp, ...rest }) =>
    aListedVersion(`${name}@${version}`, { ...rest, standing: standing(tier, scoreBp) }),
  );
const someOrbs = fc.uniqueArray(anOrb, { selector: ({ orbId }) => orbId, maxLength: 40 });
const aQuery = fc
  .record(
    {
      tiers: fc.subarray([...TIERS]),
      minTier: fc.constantFrom(...TIERS),
      text: fc.constantFrom('a', 'mail', 'nothing'),
      capability: fc.constantFrom('text.', 'http.call', 'text'),
      org: fc.constantFrom('acme', 'globex', 'nobody'),
      updatedSince: fc.nat({ max: 6 }),
    },
    { requiredKeys: [] },
  )
  .chain((filters) =>
    fc
      .record({
        statuses: fc.subarray([...ORB_STATUSES]),
        latest: fc.boolean(),
        sort: fc.constantFrom(...SORTS),
      })
      .map((needed): ListQuery => ({ ...filters, ...needed })),
  );

describe('selectOrbs, for any Orbs and query', () => {
  it('selects the same in the same order from any order of the Orbs', () => {
    fc.assert(
      fc.property(someOrbs, aQuery, fc.nat(), (orbs, query, turn) => {
        const at = orbs.length === 0 ? 0 : turn % orbs.length;
        const turned = [...orbs.slice(at), ...orbs.slice(0, at)].toReversed();
        expect(idsOf(selectOrbs(turned, query))).to.deep.equal(idsOf(selectOrbs(orbs, query)));
      }),
    );
  });

  it('selects with two filters what both select alone', () => {
    fc.assert(
      fc.property(someOrbs, aQuery, (orbs, query) => {
        const { statuses, latest, sort, ...filters } = query;
        const base = { statuses, latest, sort };
        const alone = Object.entries(filters).map(
          ([name, value]) => new Set(idsOf(selectOrbs(orbs, { ...base, [name]: value }))),
        );
        const both = idsOf(selectOrbs(orbs, base)).filter((id) => alone.every((ids) => ids.has(id)));
        expect(idsOf(selectOrbs(orbs, query))).to.deep.equal(both);
      }),
    );
  });

  it('orders by what was asked for, and ties by the id', () => {
    fc.assert(
      fc.property(someOrbs, aQuery, (orbs, query) => {
        const found = selectOrbs(orbs, query);
        for (const [at, orb] of found.entries()) {
          const next = found[at + 1];
          if (next === undefined) break;
          const [a, b] =
            query.sort === 'score'
              ? [orb.standing.scoreBp, next.standing.scoreBp]
              : query.sort === 'updated'
                ? [orb.updatedAt, next.updatedAt]
                : [0, 0];
          expect(a > b || (a === b && orb.orbId < next.orbId)).to.equal(true);
        }
      }),
    );
  });
});

describe('latestVersions', () => {
  it('has a prerelease only where there is no release', () => {
    const orbs = ['a.a@1.0.0', 'a.a@2.0.0-rc.1', 'a.b@1.0.0-rc.2', 'a.b@1.0.0-rc.10'].map((id) => aListedVersion(id));
    expect(idsOf(latestVersions(orbs))).to.deep.equal(['a.a@1.0.0', 'a.b@1.0.0-rc.10']);
  });

  it('compares numbers, not letters', () => {
    expect(idsOf(latestVersions(['a.a@1.9.0', 'a.a@1.10.0'].map((id) => aListedVersion(id))))).to.deep.equal([
      'a.a@1.10.0',
    ]);
  });

  it('has one active version of each name, and no better one is left out', () => {
    fc.assert(
      fc.property(someOrbs, (orbs) => {
        const latest = latestVersions(orbs);
        const active = orbs.filter(({ status }) => status === 'active');
        expect(latest.map(({ name }) => name).toSorted()).to.deep.equal(
          [...new Set(active.map(({ name }) => name))].toSorted(),
        );
        for (const { name, version } of latest) {
          const releases = active.filter((orb) => orb.name === name && prerelease(orb.version) === null);
          const among = releases.length > 0 ? releases : active.filter((orb) => orb.name === name);
          expect(among.every((orb) => compare(orb.version, version) <= 0)).to.equal(true);
          expect(among.some((orb) => orb.version === version)).to.equal(true);
        }
      }),
    );
  });
});
