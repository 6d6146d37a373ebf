import { expect } from 'chai';
import { Hourly } from '../../../../api-server/runtime/hourly.ts';

describe('Hourly', () => {
  it('lets one notice a subject and hour through', () => {
    let now = 0;
    const hourly = new Hourly(() => now);
    expect([hourly.isDue('a'), hourly.isDue('a'), hourly.isDue('b')]).to.deep.equal([true, false, true]);
    now = 3_599_999;
    expect(hourly.isDue('a')).to.equal(false);
    now = 3_600_000;
    expect(hourly.isDue('a')).to.equal(true);
  });

  it('forgets the oldest subject, not the newest, when there are too many', () => {
    const hourly = new Hourly(() => 0);
    for (let index = 0; index <= 10_000; index += 1) hourly.isDue(`orb ${index}`);
    expect(hourly.isDue('orb 10000')).to.equal(false);
    expect(hourly.isDue('orb 0')).to.equal(true);
  });
});
