import { Checks, type Result, type Scenario } from '../scenario.ts';
import { inTimedWorld, swapsOf, type TimedOptions, type TimedWorld } from '../timed-world.ts';

const MINUTE_S = 60;
const LONG_S = 60 * MINUTE_S;

const secondOf = (world: TimedWorld, time: number): number => (time - world.clock.now()) / 1000 + world.second;

/** Lets time pass until something holds after an evaluation. @returns whether it did */
async function until(world: TimedWorld, wanted: (world: TimedWorld) => boolean): Promise<boolean> {
  for (let passed = 0; passed < LONG_S; passed += 5) {
    if (wanted(world)) return true;
    await world.pass(5);
  }
  return wanted(world);
}

/** a is broken for two minutes. */
const outage: TimedOptions = {
  providers: {
    a: (second) => (second >= 300 && second < 420 ? { status: 503, ms: 5 } : { status: 200, ms: 200 }),
    b: () => ({ status: 200, ms: 200 }),
  },
};

async function midHold(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, outage, async (world) => {
    checks.equal('swapped', await until(world, ({ status }) => status.activeProvider === 'b'), true);
    const [hold] = world.status.holds;
    const end = secondOf(world, hold?.until ?? Infinity);
    await world.pass(2 * MINUTE_S);
    await world.restart();
    checks.equal('the hold', world.status.holds[0], hold);
    await world.pass(end - world.second - 1);
    checks.equal('ramp before the hold is over', world.status.ramp, null);
    checks.equal('started after it', await until(world, ({ status }) => status.ramp !== null), true);
    const late = world.second - end;
    checks.atLeast('s from the end of the hold to the ramp', late, 0);
    checks.atMost('s from the end of the hold to the ramp', late, 2 * MINUTE_S);
    checks.equal(
      'swaps',
      swapsOf(world).map(([, swap]) => swap),
      ['a>b hard_failure'],
    );
  });
  return checks.result();
}

async function midRamp(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, outage, async (world) => {
    checks.equal('at half', await until(world, ({ status }) => status.ramp?.percent === 50), true);
    const { ramp } = world.status;
    await world.pass(20);
    await world.restart();
    checks.equal('ramp right after', world.status.ramp, ramp);
    await world.pass(30);
    checks.equal('ramp 30 s later', world.status.ramp, ramp);
    checks.equal('ended', await until(world, ({ status }) => status.activeProvider === 'a'), true);
    const took = world.second - secondOf(world, ramp?.stepStartedAt ?? 0);
    checks.atLeast('s of the step', took, MINUTE_S);
    checks.atMost('s of the step', took, MINUTE_S + 20);
    checks.equal(
      'swaps',
      swapsOf(world).map(([, swap]) => swap),
      ['a>b hard_failure', 'b>a failback'],
    );
    checks.equal(
      'swapSeq',
      world.status.history.map(({ seq }) => seq),
      [1, 2],
    );
  });
  return checks.result();
}

async function frozen(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, { ...outage, swap: { dwell: { max_swaps_per_hour: 1 } } }, async (world) => {
    checks.equal('frozen', await until(world, ({ status }) => status.frozen !== null), true);
    const { frozen: state } = world.status;
    const end = secondOf(world, state?.until ?? Infinity);
    await world.pass(5 * MINUTE_S);
    await world.restart();
    checks.equal('frozen right after', world.status.frozen, state);
    await world.pass(end - world.second - 1);
    checks.equal(
      'swaps before the end',
      swapsOf(world).map(([, swap]) => swap),
      ['a>b hard_failure'],
    );
    checks.equal('ramp before the end', world.status.ramp, null);
    checks.equal('back after it', await until(world, ({ status }) => status.activeProvider === 'a'), true);
  });
  return checks.result();
}

export const s21: readonly Scenario[] = [
  { id: 'S21', title: 'killed in the middle of a hold', kind: 'virtual-time', run: midHold },
  { id: 'S21', title: 'killed in the middle of a ramp', kind: 'virtual-time', run: midRamp },
  { id: 'S21', title: 'killed while frozen', kind: 'virtual-time', run: frozen },
];
