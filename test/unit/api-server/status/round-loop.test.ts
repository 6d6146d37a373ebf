import { expect } from 'chai';
import { RoundLoop, type FullRound } from '../../../../api-server/status/round-loop.ts';
import type { RoundFound } from '../../../../api-server/status/round-maker.ts';
import { forEachService } from '../../../../core/status/service.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

const START = 1_800_000_000_000;
const FOUND: RoundFound = forEachService(() => ({ state: 'operational', checks: [] }));

/** A loop of a round every 30 s, and what it tells: `begin-end` of each round, in seconds. */
function aLoop(takesMs: (round: number) => number) {
  const clock = createFakeClock(START);
  const told: string[][] = [];
  let leapMs = 0;
  let rounds = 0;
  const shown = (at: number): number => (at - START) / 1000;
  const loop = new RoundLoop({
    make: async (signal) => {
      rounds += 1;
      const ms = takesMs(rounds);
      if (ms > 0) await clock.sleep(ms, signal);
      return FOUND;
    },
    finished: (made: readonly FullRound[]) =>
      void told.push(made.map(({ at, until }) => `${shown(at)}-${shown(until)}`)),
    clock: { ...clock, now: () => clock.now() + leapMs },
    logger: { warn: () => undefined },
    intervalMs: 30_000,
  });
  const stopping = new AbortController();
  const running = loop.run(stopping.signal);
  return {
    clock,
    told,
    leap: (ms: number) => {
      leapMs = ms;
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

describe('RoundLoop', () => {
  it('begins at once, and a round holds until the next one begins', async () => {
    const { clock, told, stop } = aLoop(() => 1000);
    await clock.advance(61_000);
    await stop();
    expect(told).to.deep.equal([['0-1'], ['0-30', '30-31'], ['30-60', '60-61']]);
  });

  it('lets a round hold for one and a half intervals at most', async () => {
    const { clock, told, stop } = aLoop((round) => (round === 2 ? 50_000 : 1000));
    await clock.advance(90_000);
    await stop();
    expect(told.slice(1)).to.deep.equal([['0-30', '30-75'], ['80-81']]);
  });

  it('makes no round while the wall clock stands before the end of the last one', async () => {
    const { clock, told, leap, stop } = aLoop(() => 1000);
    await clock.advance(29_000);
    leap(-60_000);
    await clock.advance(60_000);
    expect(told).to.deep.equal([['0-1']]);
    leap(0);
    await clock.advance(10_000);
    await stop();
    expect(told.slice(1)).to.deep.equal([['0-45', '90-91']]);
  });

  it('leaves the gap open after it stood still for more than three intervals', async () => {
    const { clock, told, stop } = aLoop((round) => (round === 2 ? 100_000 : 1000));
    await clock.advance(131_000);
    await stop();
    expect(told).to.deep.equal([['0-1'], ['0-30', '30-75'], ['130-131']]);
  });
});
