import { setTimeout as delay } from 'node:timers/promises';
import { newStatus, readFailoverStatus, writeFailoverStatus } from '../../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../../core/failover/types.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';
import { writeStatus } from '../../support/cluster.ts';
import { Checks, type Result, type Scenario, type Stage } from '../scenario.ts';
import { inOperatorWorld, type OperatorWorld } from '../operator-world.ts';

const STEP_MS = 30_000;
const WAIT_MS = 45_000;
/** Longest time from the due time to the write: one interval and 2 s. */
const LATE_MS = 17_000;
const POLL_MS = 250;
const KILL_AFTER_MS = 6000;
const GIVEN_UP_MS = 90_000;

const NAMES = ['hold', 'ramp', 'frozen'] as const;
type Name = (typeof NAMES)[number];

/** b is the active provider; an operator that no longer runs wrote the state that keeps it there. */
function writtenStates(now: number): Readonly<Record<Name, FailoverStatus>> {
  const failedOver = { ...newStatus('b', now - 600_000, 'hard_failure'), epoch: 1 };
  return {
    hold: { ...failedOver, holds: [{ provider: 'a', until: now + WAIT_MS, level: 1 }] },
    ramp: { ...failedOver, ramp: { provider: 'a', percent: 50, stepStartedAt: now, trial: false } },
    frozen: { ...failedOver, frozen: { until: now + WAIT_MS, reason: 'flapping' } },
  };
}

/** One observation of all Orbs. */
type Seen = ReadonlyMap<string, { readonly at: number; readonly status: FailoverStatus }>;

async function observe({ space }: OperatorWorld): Promise<Seen> {
  const orbs = await space.list('orbs.orbs.dev');
  const entries = orbs.flatMap((orb) => {
    const failover = at(orb, 'status', 'failover');
    const status = readFailoverStatus(isRecord(failover) ? JSON.parse(JSON.stringify(failover)) : null);
    return status === null ? [] : [[orb.metadata.name, { at: Date.now(), status }] as const];
  });
  return new Map(entries);
}

/** Whether the Orb has moved: a ramp to a, or its end. */
const isMoving = (name: Name, { ramp, activeProvider }: FailoverStatus): boolean =>
  activeProvider === 'a' || (name !== 'ramp' && ramp !== null);

/** Time of each Orb's first move, and the observed states of the ramp before it. */
async function watchMoves(
  world: OperatorWorld,
  written: Readonly<Record<Name, FailoverStatus>>,
): Promise<{ readonly moved: ReadonlyMap<string, number>; readonly strange: readonly string[] }> {
  const moved = new Map<string, number>();
  const strange: string[] = [];
  const until = Date.now() + GIVEN_UP_MS;
  while (moved.size < NAMES.length && Date.now() < until) {
    const seen = await observe(world);
    for (const name of NAMES) {
      const found = seen.get(name);
      if (found === undefined || moved.has(name)) continue;
      if (isMoving(name, found.status)) moved.set(name, found.at);
      else if (JSON.stringify(found.status.ramp) !== JSON.stringify(written[name].ramp))
        strange.push(`${name}: ${JSON.stringify(found.status.ramp)}`);
    }
    await delay(POLL_MS);
  }
  return { moved, strange };
}

async function write(world: OperatorWorld, written: Readonly<Record<Name, FailoverStatus>>): Promise<void> {
  for (const name of NAMES) {
    const object = await world.space.get(`orb/${name}`);
    if (object === undefined) throw new Error(`no Orb ${name}`);
    const status = { failover: writeFailoverStatus(written[name]) };
    await writeStatus(world.plane, object, status, { as: 'operator', manager: 'orb-operator-failover' });
  }
}

/** Time from which each Orb may move: the times that were written. */
const dueTimes = ({ hold, ramp, frozen }: Readonly<Record<Name, FailoverStatus>>): Readonly<Record<Name, number>> => ({
  hold: hold.holds[0]?.until ?? Number.NaN,
  ramp: (ramp.ramp?.stepStartedAt ?? Number.NaN) + STEP_MS,
  frozen: frozen.frozen?.until ?? Number.NaN,
});

async function killOne(world: OperatorWorld, checks: Checks): Promise<void> {
  const first = await world.startMember('s21-first');
  await delay(KILL_AFTER_MS);
  first.operator.process.kill('SIGKILL');
  await first.operator.process.exited;
  const second = await world.startMember('s21-second');
  checks.equal('the next one leads', (await world.leader([second]))?.identity, 's21-second');
}

async function killedAndStarted({ plane }: Stage): Promise<Result> {
  const checks = new Checks();
  await inOperatorWorld(await plane(), 's21-restart', async (world) => {
    for (const name of NAMES) await world.applyOrb(name);
    const written = writtenStates(Date.now());
    await write(world, written);
    const [{ moved, strange }] = await Promise.all([watchMoves(world, written), killOne(world, checks)]);
    checks.equal('other ramps than the one that was written', strange, []);
    const due = dueTimes(written);
    for (const name of NAMES) {
      const late = (moved.get(name) ?? Infinity) - due[name];
      checks.atLeast(`${name}: ms from the written time to the change`, late, 0);
      checks.atMost(`${name}: ms from the written time to the change`, late, LATE_MS);
    }
    checks.equal('swaps of the ramp', (await observe(world)).get('ramp')?.status.swapSeq, 1);
  });
  return checks.result();
}

export const s21Operator: Scenario = {
  id: 'S21',
  title: 'an operator gets SIGKILL in the middle of a hold, a ramp and a freeze',
  kind: 'control-plane',
  run: killedAndStarted,
};
