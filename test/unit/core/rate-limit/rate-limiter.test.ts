import { expect } from 'chai';
import { ofOneSecond } from '../../../../core/rate-limit/rate.ts';
import { bothRates, RateLimiter, type RateVerdict } from '../../../../core/rate-limit/rate-limiter.ts';

const reported = (verdict: RateVerdict): readonly unknown[] => {
  const headers = verdict.headers();
  return ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers[name]);
};

describe('RateLimiter', () => {
  const rows: readonly (readonly [perSecond: number, policy: string, first: string, last: string, again: string])[] = [
    [50, '"orbiset";q=50;w=1', '"orbiset";r=49;t=1', '"orbiset";r=0;t=1', '1'],
    [1, '"orbiset";q=1;w=1', '"orbiset";r=0;t=1', '"orbiset";r=0;t=1', '1'],
    [0.5, '"orbiset";q=1;w=2', '"orbiset";r=0;t=2', '"orbiset";r=0;t=2', '2'],
    [0.3, '"orbiset";q=1;w=4', '"orbiset";r=0;t=4', '"orbiset";r=0;t=4', '4'],
    [2.5, '"orbiset";q=2;w=1', '"orbiset";r=1;t=1', '"orbiset";r=0;t=1', '1'],
    [0.01, '"orbiset";q=1;w=100', '"orbiset";r=0;t=100', '"orbiset";r=0;t=100', '100'],
    [100_000, '"orbiset";q=100000;w=1', '"orbiset";r=99999;t=1', '"orbiset";r=0;t=1', '1'],
  ];
  for (const [perSecond, policy, first, last, again] of rows)
    it(`reports ${perSecond} a second in whole runs and seconds, none of them promised too early`, () => {
      const rates = new RateLimiter('orbiset');
      expect(reported(rates.take('acme.a', ofOneSecond(perSecond), 0))).to.deep.equal([policy, first, undefined]);
      let verdict = rates.take('acme.a', ofOneSecond(perSecond), 0);
      while (verdict.allowed) verdict = rates.take('acme.a', ofOneSecond(perSecond), 0);
      expect(reported(verdict)).to.deep.equal([policy, last, again]);
      expect(rates.take('acme.a', ofOneSecond(perSecond), Number(again) * 1000).allowed).to.equal(true);
    });

  it('counts each Orbiset for itself', () => {
    const rates = new RateLimiter('orbiset');
    expect(
      [
        rates.take('acme.a', ofOneSecond(1), 0),
        rates.take('acme.b', ofOneSecond(1), 0),
        rates.take('acme.a', ofOneSecond(1), 0),
      ].map(({ allowed }) => allowed),
    ).to.deep.equal([true, true, false]);
  });

  it('counts the time since the last request at a rate that was raised meanwhile', () => {
    const rates = new RateLimiter('orbiset');
    expect(rates.take('acme.a', ofOneSecond(0.01), 0).allowed).to.equal(true);
    expect(rates.take('acme.a', ofOneSecond(0.01), 1000).allowed).to.equal(false);
    expect(rates.take('acme.a', ofOneSecond(2), 1100).allowed).to.equal(false);
    expect(rates.take('acme.a', ofOneSecond(10), 1150).allowed).to.equal(false);
    expect(reported(rates.take('acme.a', ofOneSecond(100), 3000))).to.deep.equal([
      '"orbiset";q=100;w=1',
      '"orbiset";r=99;t=1',
      undefined,
    ]);
  });

  it('keeps the available runs, up to the new burst, at a rate that was lowered meanwhile', () => {
    const rates = new RateLimiter('orbiset');
    for (let taken = 0; taken < 10; taken += 1) rates.take('acme.a', ofOneSecond(10), 0);
    const allowed = [1000, 1000].map((now) => rates.take('acme.a', ofOneSecond(1), now).allowed);
    expect(allowed).to.deep.equal([true, false]);
  });

  it('forgets those that are full again: removed ones leave nothing behind', () => {
    const rates = new RateLimiter('orbiset');
    for (let index = 0; index < 5000; index += 1) rates.take(`acme.o${index}`, ofOneSecond(1), index * 10);
    expect(rates.size).to.be.at.most(1024);
    expect(rates.take('acme.o4999', ofOneSecond(1), 49_990).allowed).to.equal(false);
  });

  it('remembers a bounded number of ids: the one whose last request is oldest is forgotten', () => {
    const rates = new RateLimiter('address', 100);
    const slow = { perSecond: 0.001, burst: 1 };
    for (let index = 0; index < 100; index += 1) rates.take(`a${index}`, slow, index);
    expect(rates.take('a0', slow, 200).allowed).to.equal(false);
    for (let index = 0; index < 50; index += 1) rates.take(`b${index}`, slow, 300);
    expect(rates.size).to.be.at.most(100);
    expect([rates.has('a0', 400), rates.has('a1', 400), rates.has('a99', 400)]).to.deep.equal([false, true, false]);
  });

  it('says whether a token is there, and takes none for that', () => {
    const rates = new RateLimiter('address');
    const once = { perSecond: 1, burst: 1 };
    expect([rates.has('a', 0), rates.has('a', 0), rates.take('a', once, 0).allowed]).to.deep.equal([true, true, true]);
    expect([rates.has('a', 0), rates.has('a', 1000)]).to.deep.equal([false, true]);
  });
});

describe('bothRates', () => {
  it('joins the headers of two limits, and keeps the rest', () => {
    const key = { ratelimit: '"key";r=1;t=1', 'ratelimit-policy': '"key";q=2;w=1' };
    const refused = { ratelimit: '"orb";r=0;t=1', 'ratelimit-policy': '"orb";q=1;w=1', 'retry-after': '1', etag: 'x' };
    expect(bothRates(key, refused)).to.deep.equal({
      ratelimit: '"key";r=1;t=1, "orb";r=0;t=1',
      'ratelimit-policy': '"key";q=2;w=1, "orb";q=1;w=1',
      'retry-after': '1',
      etag: 'x',
    });
    expect(bothRates({}, { etag: 'x' })).to.deep.equal({ etag: 'x' });
  });
});
