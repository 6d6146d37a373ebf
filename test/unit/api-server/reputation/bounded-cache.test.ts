import { expect } from 'chai';
import { BoundedCache, CacheBudget } from '../../../../api-server/reputation/bounded-cache.ts';
import { refusal } from '../../../support/refusal.ts';

describe('BoundedCache', () => {
  let budget: CacheBudget;
  let asked: string[];
  const cacheOf = (prefix: string): BoundedCache<string> =>
    new BoundedCache({
      budget,
      bytesOf: (text) => text.length,
      load: async (key) => {
        asked.push(prefix + key);
        return key.repeat(700);
      },
    });
  beforeEach(() => {
    // An entry counts 300 bytes besides its value: three of them fit.
    budget = new CacheBudget(3000);
    asked = [];
  });

  it('reads a key once, also for concurrent calls, and again after it was dropped', async () => {
    const cache = cacheOf('');
    expect(await Promise.all([cache.get('a'), cache.get('a')])).to.deep.equal(['a'.repeat(700), 'a'.repeat(700)]);
    await cache.get('a');
    expect(asked).to.deep.equal(['a']);
    cache.drop('a');
    expect(budget.bytes).to.equal(0);
    await cache.get('a');
    expect(asked).to.deep.equal(['a', 'a']);
  });

  it('shares its bound with other caches: what was not asked for the longest time leaves', async () => {
    const [one, other] = [cacheOf('one '), cacheOf('other ')];
    await one.get('a');
    await other.get('b');
    await one.get('c');
    await one.get('a');
    await other.get('d');
    expect(budget.bytes).to.equal(3000);
    asked = [];
    await one.get('a');
    await one.get('c');
    await other.get('d');
    await other.get('b');
    expect(asked).to.deep.equal(['other b']);
  });

  it('keeps no value that alone is larger than its bound', async () => {
    budget = new CacheBudget(999);
    await cacheOf('').get('a');
    expect(budget.bytes).to.equal(0);
  });

  it('answers, and does not keep, what was dropped while it was read', async () => {
    const reads: ((value: string) => void)[] = [];
    const cache = new BoundedCache<string>({
      budget,
      bytesOf: (text) => text.length,
      load: () => new Promise((resolve) => reads.push(resolve)),
    });
    const before = cache.get('a');
    cache.drop('a');
    const after = cache.get('a');
    reads[1]?.('new');
    expect(await after).to.equal('new');
    reads[0]?.('old');
    expect([await before, await cache.get('a'), reads.length]).to.deep.equal(['old', 'new', 2]);
  });

  it('drops everything at once, also what is being read', async () => {
    const cache = cacheOf('');
    await cache.get('a');
    const reading = cache.get('b');
    cache.dropAll();
    await reading;
    expect(budget.bytes).to.equal(0);
  });

  it('keeps nothing of a read that failed', async () => {
    let isAway = true;
    const cache = new BoundedCache<string>({
      budget,
      bytesOf: (text) => text.length,
      load: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve('there')),
    });
    expect(await refusal(cache.get('a'))).to.be.instanceOf(Error);
    isAway = false;
    expect(await cache.get('a')).to.equal('there');
  });
});
