import { expect } from 'chai';
import { fresh } from '../../../support/failover.ts';
import { failing, mail, providersOf, recovered, startLoop, TICK } from '../../../support/operator-loop.ts';

const STEP_TICKS = 60_000 / TICK;
const TICKS = 60;

describe('time of a tick', () => {
  it('is when it was due: a step of a ramp takes the same ticks though looks take less and less time', async () => {
    const world = await startLoop();
    await world.apply(mail());
    world.say(failing);
    await world.ticks(2);
    const { clock } = world;
    let lookMs = 0;
    world.replaceLook(async (_orbs, signal) => {
      await clock.sleep(lookMs, signal);
      const now = clock.now();
      const origin = { source: 'prometheus' as const, evaluatedAt: now, querySha256: null, promql: () => ({}) };
      return { snapshot: () => fresh(providersOf(recovered, now), now), origin, oldestMs: 1 };
    });
    const percents: number[] = [];
    for (let spentMs = 0; percents.length < TICKS; spentMs = lookMs) {
      lookMs = 10 * (TICKS - percents.length);
      await clock.advance(TICK - spentMs);
      await world.settled();
      // What a look brings happens at its end, not at the end of the tick.
      await clock.advance(lookMs);
      await world.settled();
      percents.push(world.status().ramp?.percent ?? 0);
    }
    await world.stop();
    const steps = [10, 50].map((percent) => percents.filter((seen) => seen === percent).length);
    expect(steps).to.deep.equal([STEP_TICKS, STEP_TICKS]);
    expect(world.status()).to.include({ activeProvider: 'a', reason: 'failback' });
  });
});
