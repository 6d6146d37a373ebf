import { expect } from 'chai';
import { until } from '../../../../adapters/time/until.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

describe('until', () => {
  it('waits for nothing when the condition holds already', async () => {
    const clock = createFakeClock(0);
    expect(await until(() => true, clock, { everyMs: 10 }, new AbortController().signal)).to.equal(true);
  });

  it('checks at intervals until the condition holds', async () => {
    const clock = createFakeClock(0);
    let checks = 0;
    const waiting = until(() => (checks += 1) === 3, clock, { everyMs: 10 }, new AbortController().signal);
    await clock.advance(19);
    expect(checks).to.equal(2);
    await clock.advance(1);
    expect(await waiting).to.equal(true);
  });

  it('says after an abort whether the condition holds', async () => {
    for (const holds of [true, false]) {
      const stop = new AbortController();
      let done = false;
      const waiting = until(() => done, createFakeClock(0), { everyMs: 10 }, stop.signal);
      done = holds;
      stop.abort();
      expect(await waiting).to.equal(holds);
    }
  });

  it('checks once when the signal was aborted before', async () => {
    let checks = 0;
    const check = (): boolean => (checks += 1) > 1;
    expect(await until(check, createFakeClock(0), { everyMs: 10 }, AbortSignal.abort())).to.equal(false);
    expect(checks).to.equal(1);
  });
});
