import { setTimeout as delay } from 'node:timers/promises';
import { startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { startCountingProxy, type CountingProxy } from '../rig/counting-proxy.ts';
import { writesOf } from '../rig/journal.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import { leaderOf, untilTrue, type World } from './world.ts';

/** One of two operators, behind its own proxy. */
export interface Member {
  readonly identity: string;
  readonly proxy: CountingProxy;
  readonly operator: OperatorProcess;
}

export interface Timing {
  readonly flags: readonly string[];
  /** Duration of a SIGSTOP or a partition. */
  readonly outageMs: number;
  /** From the fault to the next leader's first write. */
  readonly takeoverMs: number;
}

const FULL: Timing = {
  flags: ['--lease-duration', '15s', '--renew-deadline', '10s', '--retry-period', '2s'],
  outageMs: 60_000,
  takeoverMs: 20_000,
};
const REDUCED: Timing = {
  flags: ['--lease-duration', '4s', '--renew-deadline', '3s', '--retry-period', '500ms'],
  outageMs: 9000,
  takeoverMs: 8000,
};

export const timingOf = (full: boolean): Timing => (full ? FULL : REDUCED);

const ALL_LINES = 100_000;

async function startMember(world: World, identity: string, flags: readonly string[]): Promise<Member> {
  const { plane } = world;
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
  const connection = ['--kube-server', proxy.url, '--kube-token-file', plane.users.operator.tokenFile];
  const operator = await startOperator(plane, { connection, flags: [...flags, '--identity', identity] });
  return { identity, proxy, operator };
}

/** A fault of the leader; resolves when the fault is over. */
export type Disturb = (pair: Pair, timing: Timing) => Promise<void>;

export const DISTURBANCES: Readonly<Record<string, Disturb>> = {
  none: () => Promise.resolve(),
  SIGKILL: ({ leader }) => {
    leader.operator.process.kill('SIGKILL');
    return Promise.resolve();
  },
  'SIGSTOP, then SIGCONT': async ({ leader }, { outageMs }) => {
    leader.operator.process.kill('SIGSTOP');
    await delay(outageMs);
    leader.operator.process.kill('SIGCONT');
  },
  'partition of the leader': async ({ leader }, { outageMs }) => {
    leader.proxy.partition();
    await delay(outageMs);
    leader.proxy.heal();
  },
  'partition of both': async ({ leader, follower }, { outageMs }) => {
    for (const { proxy } of [leader, follower]) proxy.partition();
    await delay(outageMs);
    for (const { proxy } of [leader, follower]) proxy.heal();
  },
};

/** Number of a member's writes that the server accepted since a moment of its journal. */
export const acceptedSince = ({ proxy }: Member, since: number): number =>
  writesOf(proxy.journal).filter(
    ({ t, status, changed }) => t >= since && status >= 200 && status < 300 && changed === true,
  ).length;

export interface Pair {
  readonly leader: Member;
  readonly follower: Member;
}

/** @param flags in addition to those of the lease */
export async function startPair(world: World, timing: Timing, flags: readonly string[] = []): Promise<Pair> {
  const all = [...timing.flags, ...flags];
  const one = await startMember(world, 'one', all);
  const two = await startMember(world, 'two', all);
  await untilTrue('nobody leads', async () => (await leaderOf(world)) !== '', timing.takeoverMs);
  return (await leaderOf(world)) === one.identity ? { leader: one, follower: two } : { leader: two, follower: one };
}

export async function stopPair({ leader, follower }: Pair): Promise<readonly string[]> {
  const faults = [leader, follower].flatMap(({ operator }) => checkOutput(operator.process.tail(ALL_LINES)));
  for (const { operator, proxy } of [leader, follower]) {
    await operator.stop();
    await proxy.close();
  }
  return faults;
}
