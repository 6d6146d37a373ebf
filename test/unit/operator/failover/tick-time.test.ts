import { expect } from 'chai';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { fresh } from '../../../support/failover.ts';
import { failing, mail, providersOf, recovered, startLoop, TICK } from '../../../support/operator-loop.ts';

const STEP_TICKS = 60_000 / TICK;
const TICKS = 40;
/** By which whatever was due has begun. */
const LATE_MS = 2;
const START = Date.parse('2026-02-01T10:00:00Z');

/** Wakes up to a millisecond late, each time by another part of it, as timers do. */
function createLateClock(phase: number): FakeClock {
  const clock = createFakeClock(START);
  let sleeps = phase;
  return {
    ...clock,
    sleep: (ms, signal) => {
      sleeps += 1;
      return clock.sleep(ms + ((sleeps * 0.31) % 1), signal);
    },
  };
}

/** How many ticks each step of a ramp took. @param queryMs how long the query takes in the tick of this number */
async function stepsOf(clock: FakeClock, queryMs: (tick: number) => number): Promise<readonly number[]> {
  // No process begins at a whole millisecond.
  await clock.advance(0.4);
  const world = await startLoop({ clock });
  await world.apply(mail());
  world.say(failing);
  await world.ticks(3);
  const percents: number[] = [];
  world.replaceMeasure(async (_orbs, signal) => {
    await clock.sleep(queryMs(percents.length), signal);
    const now = clock.now();
    const origin = { source: 'prometheus' as const, evaluatedAt: now, querySha256: null, promql: () => ({}) };
    return { snapshot: () => fresh(providersOf(recovered, now), now), origin, oldestMs: 1 };
  });
  // What a query returns is used at its end, not at the end of the tick.
  for (let spentMs = -LATE_MS; percents.length < TICKS; percents.push(world.status().ramp?.percent ?? 0)) {
    await clock.advance(TICK - spentMs);
    await world.settled();
    spentMs = queryMs(percents.length) + LATE_MS;
    await clock.advance(spentMs);
    await world.settled();
  }
  await world.stop();
  expect(world.status()).to.include({ activeProvider: 'a', reason: 'failback' });
  return [10, 50].map((percent) => percents.filter((seen) => seen === percent).length);
}

describe('time of a tick', () => {
  it('is when it was due: steps of a ramp take their ticks though queries take less and less time', async () => {
    const steps = await stepsOf(createFakeClock(START), (tick) => 10 * (TICKS - tick));
    expect(steps).to.deep.equal([STEP_TICKS, STEP_TICKS]);
  });

  it('is rounded once: steps of a ramp take their ticks though timers are late by parts of a millisecond', async () => {
    for (let phase = 0; phase < 4; phase += 1) {
      const steps = await stepsOf(createLateClock(phase), () => 5);
      expect(steps, `phase ${phase}`).to.deep.equal([STEP_TICKS, STEP_TICKS]);
    }
  });
});
