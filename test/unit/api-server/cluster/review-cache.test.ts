import { expect } from 'chai';
import { ReviewCache } from '../../../../api-server/cluster/review-cache.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

describe('ReviewCache', () => {
  it('keeps no more answers than its size, the newest ones', async () => {
    const cache = new ReviewCache<string>({ clock: createFakeClock(0), isPositive: () => true, size: 3 });
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, async () => key);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.peek(key))).to.deep.equal([undefined, 'b', 'c', 'd']);
  });

  it('counts the age of an answer from before the question', async () => {
    const clock = createFakeClock(0);
    const cache = new ReviewCache<string>({ clock, isPositive: () => true });
    await cache.get('a', async () => {
      await clock.advance(8000);
      return 'yes';
    });
    expect(cache.peek('a')).to.equal('yes');
    await clock.advance(1000);
    expect(cache.peek('a')).to.equal(undefined);
  });
});
