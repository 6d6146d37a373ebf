import { expect } from 'chai';
import { minuteMeans, slopeOf } from '../../soak/slope.ts';

const samples = (count: number, value: (at: number) => number): { at: number; value: number }[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * 10, value: value(index * 10) }));

const swing = (at: number): number => 100 + 5 * Math.sin(at / 70);

describe('slopeOf: does a value of a soak rise', () => {
  it('finds an exact rise per hour', () => {
    const slope = slopeOf(samples(180, (at) => 100 + Math.floor(at / 60) / 6));
    expect(slope.perHour).to.be.closeTo(10, 1e-9);
    expect(slope.low).to.be.closeTo(10, 1e-6);
    expect(slope.high).to.be.closeTo(10, 1e-6);
  });

  it('has zero in the interval of what only swings, and not in that of a swing that rises', () => {
    const { low, high } = slopeOf(samples(180, swing));
    expect(low).to.be.lessThan(0);
    expect(high).to.be.greaterThan(0);
    expect(slopeOf(samples(180, (at) => swing(at) + at / 60)).low).to.be.greaterThan(0);
  });

  it('has the interval of a textbook: five points, three degrees of freedom', () => {
    const values = [1, 3, 2, 5, 4];
    const points = values.map((value, index) => ({ at: index * 60, value }));
    const { perHour, high } = slopeOf(points);
    expect(perHour).to.be.closeTo(48, 1e-9);
    // The standard error is 0.346 a minute, and t is 3.182.
    expect((high - perHour) / 60).to.be.closeTo(1.102, 0.04);
  });

  it('takes the mean of each minute, and refuses fewer than four', () => {
    expect(minuteMeans(samples(7, (at) => at))).to.deep.equal([
      { at: 0, value: 25 },
      { at: 60, value: 60 },
    ]);
    expect(() => slopeOf(samples(18, () => 1))).to.throw(RangeError, 'four minutes, not of 3');
  });
});
