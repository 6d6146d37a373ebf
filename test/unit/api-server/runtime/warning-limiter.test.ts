import { expect } from 'chai';
import { WarningLimiter } from '../../../../api-server/runtime/warning-limiter.ts';

describe('WarningLimiter', () => {
  it('lets one notice a subject and hour through', () => {
    let now = 0;
    const limiter = new WarningLimiter(() => now);
    expect([limiter.isDue('a'), limiter.isDue('a'), limiter.isDue('b')]).to.deep.equal([true, false, true]);
    now = 3_599_999;
    expect(limiter.isDue('a')).to.equal(false);
    now = 3_600_000;
    expect(limiter.isDue('a')).to.equal(true);
  });

  it('forgets the oldest subject, not the newest, when there are too many', () => {
    const limiter = new WarningLimiter(() => 0);
    for (let index = 0; index <= 10_000; index += 1) limiter.isDue(`orb ${index}`);
    expect(limiter.isDue('orb 10000')).to.equal(false);
    expect(limiter.isDue('orb 0')).to.equal(true);
  });
});
