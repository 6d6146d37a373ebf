import { expect } from 'chai';
import fc from 'fast-check';
import { isConfusable, isReservedOrg } from '../../../../core/publication/org-name.ts';

describe('isReservedOrg', () => {
  it('knows the names that nobody gets', () => {
    const names = 'orb orbs official admin root system kube kubernetes platform api www test'.split(' ');
    expect(names.filter((name) => !isReservedOrg(name))).to.deep.equal([]);
    expect(isReservedOrg('gh-octocat')).to.equal(true);
  });

  it('leaves names that only contain one', () => {
    expect(['orbit', 'testing', 'gh', 'ghost', 'my-api'].filter((name) => isReservedOrg(name))).to.deep.equal([]);
  });
});

describe('isConfusable', () => {
  const rows: [a: string, b: string, confusable: boolean][] = [
    ['g0ogle', 'google', true],
    ['paypa1', 'paypal', true],
    ['rnail', 'mail', true],
    ['vvix', 'wix', true],
    ['ac-me', 'acme', true],
    ['globex', 'globax', true],
    ['globex', 'globexx', true],
    ['globex', 'gloebx', true],
    ['acme', 'acne', false],
    ['globex', 'initech', false],
    ['acme', 'acme', false],
  ];
  for (const [a, b, confusable] of rows) {
    it(`${a} and ${b}: ${confusable ? 'yes' : 'no'}`, () => {
      expect(isConfusable(a, b)).to.equal(confusable);
    });
  }

  const aName = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/);

  it('no name is confusable with itself, but with each that has a hyphen more', () => {
    fc.assert(
      fc.property(aName, fc.nat(), (name, at) => {
        const place = 1 + (at % Math.max(1, name.length - 1));
        const hyphenated = `${name.slice(0, place)}-${name.slice(place)}`;
        expect(isConfusable(name, name)).to.equal(false);
        expect(isConfusable(hyphenated, name) && isConfusable(name, hyphenated)).to.equal(true);
      }),
    );
  });
});
