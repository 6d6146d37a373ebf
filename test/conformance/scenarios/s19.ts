import type { NewPin } from '../../../api-server/providers/port.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { eventsOf, inTimedWorld, swapsOf, type TimedOptions, type TimedWorld } from '../timed-world.ts';

const MINUTE_S = 60;

const well = (ms: number) => () => ({ status: 200, ms });

const PIN_ID = 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11';

function pinTo(world: TimedWorld, seconds: number, mode: NewPin['mode']): NewPin {
  const expires = new Date(world.clock.now() + seconds * 1000).toISOString();
  return { provider: 'b', mode, expires_at: expires, id: PIN_ID, actor: 'key:test' };
}

const swapNames = (world: TimedWorld): readonly string[] => swapsOf(world).map(([, swap]) => swap);
const vias = (world: TimedWorld, from: number, to: number): readonly string[] => [
  ...new Set(world.ran.filter(({ second }) => second > from && second < to).map(({ via }) => via)),
];

/** b is slow at first, and then fails. */
const failing: TimedOptions = {
  providers: {
    a: well(150),
    b: (second) => (second < 20 * MINUTE_S ? { status: 200, ms: 900 } : { status: 503, ms: 5 }),
  },
  swap: { strategy: 'latency', latency: { threshold_ms: 500 } },
};

async function soft(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, failing, async (world) => {
    await world.pass(5 * MINUTE_S);
    await world.pin(pinTo(world, 3600, 'soft'));
    await world.pass(15 * MINUTE_S);
    checks.equal('swaps while b is slow', swapNames(world), ['a>b manual']);
    checks.equal('runs of these minutes', vias(world, 5 * MINUTE_S, 20 * MINUTE_S), ['b']);
    await world.pass(5 * MINUTE_S);
    checks.equal('swaps when b is broken', swapNames(world), ['a>b manual', 'b>a hard_failure']);
    checks.equal('the pin', world.status.pin.overriddenId, PIN_ID);
    checks.equal('runs that failed', world.ran.filter(({ status }) => status !== 200).length, 0);
  });
  return checks.result();
}

async function hard(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, failing, async (world) => {
    await world.pass(5 * MINUTE_S);
    await world.pin(pinTo(world, 3600, 'hard'));
    await world.pass(30 * MINUTE_S);
    checks.equal('swaps', swapNames(world), ['a>b manual']);
    checks.equal('active', world.status.activeProvider, 'b');
    checks.equal('runs that failed', world.ran.filter(({ status }) => status !== 200).length, 0);
  });
  return checks.result();
}

async function once(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, { providers: { a: well(150), b: well(150) } }, async (world) => {
    await world.pass(5 * MINUTE_S);
    await world.pin(pinTo(world, 600, 'once'));
    await world.pass(30);
    checks.equal('swaps at once', swapNames(world), ['a>b manual']);
    checks.equal('the pin', world.status.pin.handledId, PIN_ID);
    await world.pass(20 * MINUTE_S);
    checks.equal('swaps by the rules from then on', swapNames(world), ['a>b manual', 'b>a failback']);
  });
  return checks.result();
}

const PIN_S = 2 * MINUTE_S;

async function expiry(isReal: boolean): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(isReal, { providers: { a: well(150), b: well(150) } }, async (world) => {
    await world.pass(MINUTE_S);
    const pinned = world.second;
    await world.pin(pinTo(world, PIN_S, 'soft'));
    await world.pass(PIN_S + MINUTE_S);
    const inside = world.ran.filter(({ second }) => second > pinned && second < pinned + PIN_S);
    checks.equal('runs under the pin', [...new Set(inside.map(({ via }) => via))], ['b']);
    checks.equal('swaps', swapNames(world), ['a>b manual']);
    const [reported, ...more] = eventsOf(world).filter(([, reason]) => reason === 'PinExpired');
    checks.atMost('s from the end of the pin to its Event', Math.abs((reported?.[0] ?? Infinity) - pinned - PIN_S), 15);
    checks.equal('Events of the end', more.length, 0);
  });
  return checks.result();
}

async function withoutLoop(): Promise<Result> {
  const checks = new Checks();
  await inTimedWorld(false, { providers: { a: well(150), b: well(150) } }, async (world) => {
    await world.pass(MINUTE_S);
    await world.stopDeciding();
    checks.equal('before', (await world.run()).via, 'a');
    await world.pin(pinTo(world, PIN_S, 'soft'));
    checks.equal('the next run', (await world.run()).via, 'b');
    await world.pass(PIN_S + 5);
    checks.equal('after the end of the pin', (await world.run()).via, 'a');
  });
  return checks.result();
}

export const s19: readonly Scenario[] = [
  { id: 'S19', title: 'soft pin: only a hard failure leaves it', kind: 'virtual-time', run: soft },
  { id: 'S19', title: 'hard pin: nothing leaves it', kind: 'virtual-time', run: hard },
  { id: 'S19', title: 'once: then the rules go on', kind: 'virtual-time', run: once },
  { id: 'S19', title: 'expiry of a pin of 2 min', kind: 'virtual-time', run: () => expiry(false) },
  { id: 'S19', title: 'the loop is stopped', kind: 'virtual-time', run: withoutLoop },
];

export const s19RealTime: Scenario = {
  id: 'S19',
  title: 'expiry of a pin of 2 min in real time',
  kind: 'real-time',
  run: () => expiry(true),
};
