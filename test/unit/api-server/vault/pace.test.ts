import { expect } from 'chai';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { Pace } from '../../../../api-server/vault/pace.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { timers } from '../../../support/timers.ts';

interface Paced {
  readonly pace: Pace;
  readonly clock: FakeClock;
  readonly stop: AbortController;
  /** When it acted, in ms. */
  readonly acts: readonly number[];
}

function start(): Paced {
  const clock = createFakeClock(0);
  const stop = new AbortController();
  const acts: number[] = [];
  const act = (): void => void acts.push(clock.monotonic());
  return { pace: new Pace({ clock, signal: stop.signal, gapMs: 1000, act }), clock, stop, acts };
}

describe('Pace', () => {
  it('acts at once, and once at the end of the gap for all that was asked for in it', async () => {
    const { pace, clock, acts } = start();
    for (let each = 0; each < 5; each += 1) pace.ask();
    await clock.advance(400);
    pace.ask();
    await clock.advance(5000);
    pace.ask();
    expect(acts).to.deep.equal([0, 1000, 5400]);
  });

  it('acts at the end of every gap in which it was asked for, not of the first alone', async () => {
    const { pace, clock, acts } = start();
    pace.ask();
    for (const at of [500, 1500, 2500]) {
      await clock.advance(at - clock.monotonic());
      pace.ask();
    }
    await clock.advance(5000);
    expect(acts).to.deep.equal([0, 1000, 2000, 3000]);
  });

  it('waits for the end of a gap that is lengthened meanwhile', async () => {
    const { pace, clock, acts } = start();
    pace.ask();
    pace.ask();
    await clock.advance(900);
    pace.holdFor(2000);
    pace.holdFor(10);
    await clock.advance(1999);
    expect(acts).to.deep.equal([0]);
    await clock.advance(1);
    expect(acts).to.deep.equal([0, 2900]);
  });

  it('keeps no process alive while it waits', () => {
    const stop = new AbortController();
    const pace = new Pace({ clock: systemClock, signal: stop.signal, gapMs: 60_000, act: () => undefined });
    pace.ask();
    const before = timers();
    pace.ask();
    expect(timers()).to.equal(before);
    stop.abort();
  });

  it('does nothing more when it was stopped', async () => {
    const { pace, clock, stop, acts } = start();
    pace.ask();
    pace.ask();
    stop.abort();
    await clock.advance(5000);
    pace.ask();
    expect(acts).to.deep.equal([0]);
  });
});
