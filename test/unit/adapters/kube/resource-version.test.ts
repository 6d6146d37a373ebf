import { expect } from 'chai';
import fc from 'fast-check';
import { compareResourceVersions, isNewer } from '../../../../adapters/kube/resource-version.ts';

const rows: readonly (readonly [why: string, one: string, other: string, sign: number | undefined])[] = [
  ['equal', '100', '100', 0],
  ['of one length', '101', '100', 1],
  ['a shorter one is less', '99', '100', -1],
  ['beyond 2^53, where doubles are equal', '9007199254740993', '9007199254740992', 1],
  ['beyond 2^64', '18446744073709551616', '18446744073709551615', 1],
  ['nothing', '', '5', undefined],
  ['letters', '5a', '5', undefined],
  ['a sign', '-5', '5', undefined],
  ['a leading zero', '05', '5', undefined],
];

describe('compareResourceVersions', () => {
  for (const [why, one, other, sign] of rows) {
    it(`orders ${why}: ${one} and ${other}`, () => {
      const order = compareResourceVersions(one, other);
      expect(order === undefined ? undefined : Math.sign(order)).to.equal(sign);
    });
  }

  it('orders as integers of any size do', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
    fc.assert(
      fc.property(version, version, (one, other) => {
        const order = compareResourceVersions(String(one), String(other)) ?? Number.NaN;
        expect([order < 0, order === 0, order > 0]).to.deep.equal([one < other, one === other, one > other]);
      }),
    );
  });
});

describe('isNewer', () => {
  it('refuses an equal one', () => {
    expect(isNewer('7', '7')).to.equal(false);
  });

  it('takes the later arrival of two that can not be compared', () => {
    expect([isNewer('x', '7'), isNewer('7', 'x'), isNewer(undefined, '7')]).to.deep.equal([true, true, true]);
  });
});
