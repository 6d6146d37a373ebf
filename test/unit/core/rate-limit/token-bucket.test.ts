import { expect } from 'chai';
import fc from 'fast-check';
import { TokenBucket } from '../../../../core/rate-limit/token-bucket.ts';

const START = 123_456.789;

/** How many of `tries` are given at one moment. */
const given = (bucket: TokenBucket, now: number, tries = 1000): number => {
  let count = 0;
  while (count < tries && bucket.take(now)) count += 1;
  return count;
};

describe('TokenBucket', () => {
  it('gives its burst at once and then the rate', () => {
    const bucket = new TokenBucket({ burst: 50, everyMs: 20, now: START });
    expect(given(bucket, START)).to.equal(50);
    expect(given(bucket, START + 19)).to.equal(0);
    expect(given(bucket, START + 20)).to.equal(1);
    expect(given(bucket, START + 520)).to.equal(25);
    expect(given(bucket, START + 60_000)).to.equal(50);
  });

  it('gives one that was waited for, also after many refusals', () => {
    for (const everyMs of [2000, 1000 / 3, 700, 1000 / 0.07]) {
      const bucket = new TokenBucket({ burst: 1, everyMs, now: START });
      expect(bucket.take(START)).to.equal(true);
      for (let step = 1; step < 97; step += 1) expect(bucket.take(START + (everyMs * step) / 97)).to.equal(false);
      expect(bucket.take(START + bucket.msUntil(1, START))).to.equal(true);
    }
  });

  it('refills nothing when the rate changes, and is filled at the new rate at once', () => {
    const bucket = new TokenBucket({ burst: 2, everyMs: 500, now: START });
    given(bucket, START);
    bucket.setRate({ burst: 100, everyMs: 10 }, START);
    expect(bucket.tokens(START)).to.equal(0);
    expect(given(bucket, START + 100)).to.equal(10);
    bucket.setRate({ burst: 1, everyMs: 4000 }, START + 600);
    expect(bucket.tokens(START + 600)).to.equal(1);
    expect(given(bucket, START + 600)).to.equal(1);
    expect(bucket.msUntil(1, START + 600)).to.be.closeTo(4000, 0.01);
  });

  it('lends from the future, and says when the token is there', () => {
    const bucket = new TokenBucket({ burst: 1, everyMs: 100, now: 0 });
    expect([bucket.reserve(0), bucket.reserve(0), bucket.reserve(50)]).to.deep.equal([0, 100, 150]);
    expect(bucket.tokens(50)).to.equal(-1.5);
  });

  it('takes one back, up to full', () => {
    const bucket = new TokenBucket({ burst: 2, everyMs: 100, now: 0 });
    bucket.take(0);
    expect(bucket.isFull(0)).to.equal(false);
    bucket.giveBack();
    bucket.giveBack();
    expect([bucket.isFull(0), bucket.tokens(0), given(bucket, 0)]).to.deep.equal([true, 2, 2]);
  });

  it('never gives more than burst and rate together, however it is asked', () => {
    const asks = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 500, noNaN: true }), asks, (perSecond, gaps) => {
        const rate = { burst: Math.max(1, perSecond), everyMs: 1000 / perSecond };
        const bucket = new TokenBucket({ ...rate, now: START });
        let elapsed = 0;
        let total = 0;
        for (const gap of gaps) {
          elapsed += gap;
          total += given(bucket, START + elapsed, 600);
          expect(total).to.be.at.most(rate.burst + (perSecond * elapsed) / 1000 + 1e-3);
        }
      }),
    );
  });
});
