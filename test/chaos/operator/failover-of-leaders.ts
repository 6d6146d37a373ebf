import { setTimeout as delay } from 'node:timers/promises';
import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { startCountingProxy, type CountingProxy } from '../rig/counting-proxy.ts';
import { writesOf } from '../rig/journal.ts';
import { at } from '../rig/json.ts';
import { compareEndState, type Snapshot } from '../rig/oracles/end-state.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import { compareWriteCounts, countWrites, type WriteCounts } from '../rig/oracles/write-counts.ts';
import type { Procedure, ProcedureOptions, ProcedureResult } from './procedure.ts';
import { watchStates } from './states.ts';
import { applySpec, isSeen, leaderOf, readSnapshot, resetWorld, untilTrue, type World } from './world.ts';

/** One of two operators, behind a proxy of its own. */
interface Member {
  readonly identity: string;
  readonly proxy: CountingProxy;
  readonly operator: OperatorProcess;
}

interface Timing {
  readonly flags: readonly string[];
  /** SIGSTOP, and partitions. */
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

const ALL_LINES = 100_000;
/** Both controllers of an Orb have written, and Events are told. */
const SETTLE_MS = 2000;
/** In which a leader that came back would do harm. */
const AFTER_MS = 4000;

async function startMember(world: World, identity: string, { flags }: Timing): Promise<Member> {
  const { plane } = world;
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
  const connection = ['--kube-server', proxy.url, '--kube-token-file', plane.users.operator.tokenFile];
  const operator = await startOperator(plane, { connection, flags: [...flags, '--identity', identity] });
  return { identity, proxy, operator };
}

/** What is done to the leader; resolves when the fault is over. */
type Disturb = (leader: Member, follower: Member, timing: Timing) => Promise<void>;

const DISTURBANCES: Readonly<Record<string, Disturb>> = {
  none: () => Promise.resolve(),
  SIGKILL: ({ operator }) => {
    operator.process.kill('SIGKILL');
    return Promise.resolve();
  },
  'SIGSTOP, then SIGCONT': async ({ operator }, _follower, { outageMs }) => {
    operator.process.kill('SIGSTOP');
    await delay(outageMs);
    operator.process.kill('SIGCONT');
  },
  'partition of the leader': async ({ proxy }, _follower, { outageMs }) => {
    proxy.partition();
    await delay(outageMs);
    proxy.heal();
  },
  'partition of both': async (leader, follower, { outageMs }) => {
    for (const { proxy } of [leader, follower]) proxy.partition();
    await delay(outageMs);
    for (const { proxy } of [leader, follower]) proxy.heal();
  },
};

interface Seen {
  readonly snapshot: Snapshot;
  readonly counts: WriteCounts;
  readonly events: ReadonlyMap<string, number>;
}

/** Events of the namespace by what they tell; a series counts as often as it says. */
async function readEvents({ api, namespace }: World): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const event of await api.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`)) {
    const name = [at(event, 'regarding', 'name'), at(event, 'reason'), at(event, 'note')].join(' ');
    const series = at(event, 'series', 'count');
    counts.set(name, (counts.get(name) ?? 0) + (typeof series === 'number' ? series : 1));
  }
  return counts;
}

/** Writes of a member that the server accepted from a moment of its journal on. */
const acceptedSince = ({ proxy }: Member, since: number): number =>
  writesOf(proxy.journal).filter(
    ({ t, status, changed }) => t >= since && status >= 200 && status < 300 && changed === true,
  ).length;

interface Pair {
  readonly leader: Member;
  readonly follower: Member;
}

async function startPair(world: World, timing: Timing): Promise<Pair> {
  const one = await startMember(world, 'one', timing);
  const two = await startMember(world, 'two', timing);
  await untilTrue('nobody leads', async () => (await leaderOf(world)) !== '', timing.takeoverMs);
  return (await leaderOf(world)) === one.identity ? { leader: one, follower: two } : { leader: two, follower: one };
}

async function stopPair({ leader, follower }: Pair): Promise<readonly string[]> {
  const faults = [leader, follower].flatMap(({ operator }) => checkOutput(operator.process.tail(ALL_LINES)));
  for (const { operator, proxy } of [leader, follower]) {
    await operator.stop();
    await proxy.close();
  }
  return faults;
}

const edited = (description: string): unknown => manifestOf({ orb_id: 'acme.two@1.0.0', ...swappable, description });

/** Disturbs the leader while there is work. @returns ms from the fault until the work is done by whoever leads then */
async function disturb(world: World, name: string, pair: Pair, timing: Timing): Promise<number> {
  const began = performance.now();
  const disturbed = DISTURBANCES[name]?.(pair.leader, pair.follower, timing);
  await applySpec(world, 'orbs', 'two', edited('Edited.'));
  const both = name === 'partition of both';
  if (both) await disturbed;
  const since = both ? performance.now() : began;
  await untilTrue('the operators have not seen everything', () => isSeen(world), timing.takeoverMs + 10_000);
  const ms = performance.now() - since;
  await disturbed;
  return ms;
}

async function scenario(
  world: World,
  name: string,
  { timing, reference }: { readonly timing: Timing; readonly reference: Seen | undefined },
): Promise<{ readonly seen: Seen; readonly result: ProcedureResult }> {
  await resetWorld(world);
  await world.api.ok('DELETE', `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`);
  const pair = await startPair(world, timing);
  const states = await watchStates(world);
  await applySpec(world, 'orbs', 'two', edited('Created.'));
  await untilTrue('the operators have not seen everything', () => isSeen(world), 10_000);
  await delay(SETTLE_MS);
  const takeoverMs = Math.round(await disturb(world, name, pair, timing));
  const over = pair.leader.proxy.journal.now();
  await delay(AFTER_MS);
  const zombieWrites = (await leaderOf(world)) === pair.leader.identity ? 0 : acceptedSince(pair.leader, over);
  const seen = {
    snapshot: await readSnapshot(world),
    counts: countWrites([pair.leader.proxy.journal, pair.follower.proxy.journal]),
    events: await readEvents(world),
  };
  const faults = [
    ...(takeoverMs > timing.takeoverMs ? [`taken over after ${takeoverMs} ms`] : []),
    ...(zombieWrites > 0 ? [`${zombieWrites} writes of the old leader were accepted after it came back`] : []),
    ...(reference === undefined ? [] : compareSeen(reference, seen)),
    ...(await states.end()),
    ...(await stopPair(pair)),
  ];
  return { seen, result: { name, faults, figures: { takeoverMs, zombieWrites } } };
}

function compareSeen(reference: Seen, found: Seen): readonly string[] {
  const doubled = [...found.events].filter(([name, count]) => count > (reference.events.get(name) ?? 1));
  return [
    ...compareEndState(reference.snapshot, found.snapshot),
    ...compareWriteCounts(reference.counts, found.counts),
    ...doubled.map(([name, count]) => `${count} Events "${name}"`),
  ];
}

/** R7: two operators, one lease; the leader dies, freezes or is cut off. */
export const failoverOfLeaders: Procedure = async (world, { full, say }: ProcedureOptions) => {
  const timing = full ? FULL : REDUCED;
  const results: ProcedureResult[] = [];
  let reference: Seen | undefined;
  const names = full ? Object.keys(DISTURBANCES) : ['none', 'SIGSTOP, then SIGCONT', 'partition of the leader'];
  for (const name of names) {
    const { seen, result } = await scenario(world, name, { timing, reference });
    reference ??= seen;
    say(`R7 ${name} ${JSON.stringify(result.figures)}`);
    results.push(result);
  }
  return results;
};
