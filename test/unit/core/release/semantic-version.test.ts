import { expect } from 'chai';
import fc from 'fast-check';
import { compareBuild, parse } from 'semver';
import { compareVersions, parseVersion } from '../../../../core/release/semantic-version.ts';

const number = fc.oneof(fc.nat(3), fc.nat(1_000_000)).map(String);
const word = fc.stringMatching(/^(?:0|[1-9]\d{0,3}|\d{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,2})$/);
const builds = fc.stringMatching(/^[0-9a-zA-Z-]{1,4}$/);
const parts = (of: fc.Arbitrary<string>): fc.Arbitrary<string[]> => fc.array(of, { minLength: 1, maxLength: 3 });
const after = (sign: string, of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.option(parts(of)).map((list) => (list === null ? '' : `${sign}${list.join('.')}`));
const version = fc
  .tuple(number, number, number, after('-', word), after('+', builds))
  .map(([major, minor, patch, prerelease, build]) => `${major}.${minor}.${patch}${prerelease}${build}`);

/** Close to a version, mostly none. */
const almost = fc.stringMatching(/^[v=]?0?\d{1,2}[.]0?\d[.]?\d{0,2}[-+]?[0-9a-zA-Z.+-]{0,5}$/);

// The examples of semver.org 2.0.0, the lower one first.
const IN_ORDER = [
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '2.0.0',
  '2.1.0',
  '2.1.1',
];

describe('semantic versions', () => {
  it('orders the examples of the standard', () => {
    expect(IN_ORDER.toReversed().toSorted(compareVersions)).to.deep.equal(IN_ORDER);
  });

  it('reads what npm reads', () => {
    fc.assert(
      fc.property(fc.oneof(version, almost), (text) => {
        const own = parseVersion(text);
        const npm = parse(text);
        // npm also takes what an Orb id must not have: a prefix, and spaces around.
        expect(own !== undefined).to.equal(npm !== null && /^\d/.test(text));
        if (own === undefined || npm === null) return;
        expect([own.major, own.minor, own.patch].map(Number)).to.deep.equal([npm.major, npm.minor, npm.patch]);
        expect(own.prerelease).to.deep.equal(npm.prerelease.map(String));
        expect(own.build).to.deep.equal([...npm.build]);
      }),
      { numRuns: 2000 },
    );
  });

  it('orders as npm does, builds included', () => {
    fc.assert(
      fc.property(version, version, (one, other) => {
        const npm = compareBuild(one, other);
        // To npm 001 is 1. Here only the same text is the same version.
        if (npm === 0) expect(compareVersions(one, other) === 0).to.equal(one === other);
        else expect(Math.sign(compareVersions(one, other))).to.equal(npm);
      }),
      { numRuns: 2000 },
    );
  });

  it('orders numbers of any length exactly', () => {
    const [low, high] = ['90071992547409919007199254740991', '90071992547409919007199254740992'];
    expect(compareVersions(`${low}.0.0`, `${high}.0.0`)).to.be.lessThan(0);
    expect(compareVersions(`1.0.0-${high}`, `1.0.0-${low}`)).to.be.greaterThan(0);
    expect(compareVersions(`9.0.0`, `${low}.0.0`)).to.be.lessThan(0);
  });

  it('puts what is no version before every version', () => {
    expect(['1.0.0', 'main', '0.0.0-0', ''].toSorted(compareVersions)).to.deep.equal(['', 'main', '0.0.0-0', '1.0.0']);
    expect(compareVersions('main', 'main')).to.equal(0);
  });

  it('reads a long text in no time that shows', () => {
    expect(parseVersion(`1.0.0-${'0'.repeat(100_000)}`)).to.equal(undefined);
    expect(parseVersion(`1.0.0-${'a-'.repeat(50_000)}!`)).to.equal(undefined);
  });
});
