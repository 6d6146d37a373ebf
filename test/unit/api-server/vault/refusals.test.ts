import { expect } from 'chai';
import { Refusals } from '../../../../api-server/vault/refusals.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

describe('Refusals', () => {
  it('have lasted when the second or a later one comes 10 s after the first', async () => {
    const clock = createFakeClock(0);
    const refusals = new Refusals(clock);
    expect([refusals.isRefused, refusals.haveLasted]).to.deep.equal([false, false]);
    refusals.count();
    await clock.advance(60_000);
    expect([refusals.isRefused, refusals.haveLasted]).to.deep.equal([true, false]);
    refusals.count();
    expect(refusals.haveLasted).to.equal(true);
  });

  it('have not lasted when they are many in less than 10 s', async () => {
    const clock = createFakeClock(0);
    const refusals = new Refusals(clock);
    for (let each = 0; each < 100; each += 1) {
      refusals.count();
      await clock.advance(99);
    }
    expect(refusals.haveLasted).to.equal(false);
    await clock.advance(100);
    expect(refusals.haveLasted).to.equal(true);
  });

  it('begin anew after an answer', async () => {
    const clock = createFakeClock(0);
    const refusals = new Refusals(clock);
    refusals.count();
    await clock.advance(20_000);
    refusals.over();
    expect(refusals.isRefused).to.equal(false);
    refusals.count();
    refusals.count();
    expect(refusals.haveLasted).to.equal(false);
  });
});
