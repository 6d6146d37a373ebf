import { expect } from 'chai';
import fc from 'fast-check';
import { SlidingCount } from '../../../../core/attempts/sliding-count.ts';

describe('SlidingCount', () => {
  it('counts what happened in the window, and forgets it a part at a time', () => {
    const count = new SlidingCount(10_000, 10);
    count.add(500);
    count.add(1500);
    expect([1500, 9999, 10_000, 10_999, 11_000].map((now) => count.total(now))).to.deep.equal([2, 2, 1, 1, 0]);
  });

  it('begins at any time, and forgets all after a long silence', () => {
    const count = new SlidingCount(10_000, 10);
    count.add(7_000_000_123);
    expect(count.total(7_000_000_124)).to.equal(1);
    expect(count.total(9_000_000_000)).to.equal(0);
  });

  it('begins anew when it is cleared', () => {
    const count = new SlidingCount(10_000, 10);
    count.add(0);
    count.clear();
    count.add(1);
    expect(count.total(2)).to.equal(1);
  });

  it('lies between the last nine parts and the last ten', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3000), { maxLength: 200 }), (gaps) => {
        const count = new SlidingCount(10_000, 10);
        const times: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          times.push(now);
          count.add(now);
          const within = (ms: number): number => times.filter((at) => now - at < ms).length;
          expect(count.total(now)).to.be.within(within(9000), within(10_000));
        }
      }),
    );
  });
});
