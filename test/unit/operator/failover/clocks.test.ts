import { expect } from 'chai';
import type { FakeClock } from '../../../support/fake-clock.ts';
import { failing, mail, recovered, startLoop } from '../../../support/operator-loop.ts';
import { clockFaults, createWrongClock, type ClockFault } from '../../../support/wrong-clock.ts';

type World = Awaited<ReturnType<typeof startLoop>>;

const START = Date.parse('2026-02-01T10:00:00Z');
const MINUTE = 60_000;
const WRONG_FROM = 2 * MINUTE;
const RIGHT: ClockFault = () => 0;
const PIN_ID = 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11';

const clockOf = (fault: ClockFault): FakeClock => createWrongClock(START, fault);
const pinned = (endsAt: number): Parameters<World['apply']>[0] =>
  mail({}, { pin: { provider: 'c', mode: 'hard', id: PIN_ID, expires_at: new Date(endsAt).toISOString() } });

interface Moment {
  readonly minute: number;
  readonly active: string;
  readonly swapSeq: number;
  readonly percent: number | undefined;
  readonly frozen: boolean;
  readonly reported: number;
}

const momentOf = (world: World): Moment => {
  const { activeProvider: active, swapSeq, ramp, frozen } = world.status();
  const minute = world.clock.monotonic() / MINUTE;
  return { minute, active, swapSeq, percent: ramp?.percent, frozen: frozen !== null, reported: world.reported.length };
};

/** What is decided in the course of a story, tick by tick. */
type Story = (world: World, tick: (times: number) => Promise<void>) => Promise<void>;

const STORIES: Readonly<Record<string, Story>> = {
  'a hold, and the ramp after it': async (world, tick) => {
    await world.apply(mail());
    world.say(failing);
    await tick(4);
    world.say(recovered);
    await tick(60);
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 2 });
  },
  'a freeze': async (world, tick) => {
    await world.apply(mail({ dwell: { max_swaps_per_hour: 1, jitter: 0 } }));
    world.say(failing);
    await tick(4);
    world.say(recovered);
    await tick(320);
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 2 });
  },
  'a pin that ends': async (world, tick) => {
    await world.apply(pinned(START + 10 * MINUTE));
    world.say(recovered);
    await tick(120);
    expect(world.status()).to.include({ activeProvider: 'a' });
  },
};

async function reported(fault: ClockFault, story: Story): Promise<readonly Moment[]> {
  const world = await startLoop({ clock: clockOf(fault) });
  const moments: Moment[] = [];
  try {
    await story(world, async (times) => {
      for (let time = 0; time < times; time += 1) {
        await world.ticks(1);
        moments.push(momentOf(world));
      }
    });
    return moments;
  } finally {
    await world.stop();
  }
}

/** Another leader over the same cluster, whose clock is off. */
const next = async (before: World, fault: ClockFault): Promise<World> => {
  await before.stop();
  const elapsed = before.clock.monotonic();
  const clock = { ...before.clock, now: () => before.clock.now() + fault(before.clock.monotonic() - elapsed, START) };
  return startLoop({ after: before, epoch: 2, clock });
};

describe('swap loop whose clock goes wrong (reliability.md §4.1, R8)', function clocks() {
  this.timeout(10_000);
  for (const [name, story] of Object.entries(STORIES)) {
    for (const [what, fault] of Object.entries(clockFaults(WRONG_FROM)))
      it(`goes through ${name} as with a right one when it ${what}`, async () => {
        expect(await reported(fault, story)).to.deep.equal(await reported(RIGHT, story));
      });
  }

  it('begins no pin again that has ended, for a leader whose clock is an hour behind', async () => {
    const world = await startLoop();
    await world.apply(pinned(START + 5 * MINUTE));
    world.say(recovered);
    await world.ticks(80);
    const { activeProvider, swapSeq } = world.status();
    expect(activeProvider).to.equal('a');
    const other = await next(world, () => -60 * MINUTE);
    other.say(recovered);
    await other.apply(pinned(START + 5 * MINUTE));
    await other.ticks(20);
    expect(other.status()).to.include({ activeProvider, swapSeq });
    expect(other.reported.filter(({ reason }) => reason === 'PinExpired')).to.deep.equal([]);
    await other.stop();
  });

  it('counts on from the swaps of a leader whose clock was ahead, and shortens no hold by being behind', async () => {
    const world = await startLoop({ clock: clockOf(() => 10 * MINUTE) });
    await world.apply(mail());
    world.say(failing);
    await world.ticks(4);
    const { holds, swapSeq } = world.status();
    const left = (holds[0]?.until ?? 0) - world.clock.now();
    const other = await next(world, () => -10 * MINUTE);
    other.say(recovered);
    const began = other.clock.monotonic();
    while (other.status().ramp === null) await other.ticks(1);
    expect(other.clock.monotonic() - began).to.be.at.least(left);
    expect(other.status()).to.include({ swapSeq });
    await other.stop();
  });
});
