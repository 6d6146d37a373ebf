import { expect } from 'chai';
import { exitOnSignal, stopSignal } from '../../../../adapters/process/stop-signal.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { fakeProcess } from '../../../support/fake-process.ts';

describe('stopSignal', () => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`is aborted by ${name}`, () => {
      const fake = fakeProcess();
      const signal = stopSignal({ host: fake.host, clock: createFakeClock(0) });
      expect(signal.aborted).to.equal(false);
      fake.signal(name);
      expect([signal.aborted, fake.exits]).to.deep.equal([true, []]);
    });
  }

  it('counts two signals within a second as one', async () => {
    const fake = fakeProcess();
    const clock = createFakeClock(0);
    let reported = 0;
    stopSignal({ host: fake.host, clock, onFirst: () => (reported += 1) });
    fake.signal('SIGINT');
    await clock.advance(1000);
    fake.signal('SIGTERM');
    expect([reported, fake.exits]).to.deep.equal([1, []]);
    await clock.advance(1);
    fake.signal('SIGTERM');
    expect([reported, fake.exits]).to.deep.equal([1, [130]]);
  });

  it('listens to the signals that are named, and to no other', () => {
    const fake = fakeProcess();
    const signal = stopSignal({ signals: ['SIGHUP'], host: fake.host, clock: createFakeClock(0) });
    fake.signal('SIGTERM');
    expect(signal.aborted).to.equal(false);
    fake.signal('SIGHUP');
    expect(signal.aborted).to.equal(true);
  });
});

describe('exitOnSignal', () => {
  it('ends a process that is still being loaded, with the code of its signal', () => {
    const fake = fakeProcess();
    exitOnSignal(fake.host);
    fake.signal('SIGTERM');
    fake.signal('SIGINT');
    expect(fake.exits).to.deep.equal([143, 130]);
  });

  it('leaves a signal to the program that handles it', () => {
    const fake = fakeProcess();
    exitOnSignal(fake.host);
    const signal = stopSignal({ host: fake.host, clock: createFakeClock(0) });
    fake.signal('SIGTERM');
    expect([signal.aborted, fake.exits]).to.deep.equal([true, []]);
  });
});
