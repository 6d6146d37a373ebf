import { setTimeout as delay } from 'node:timers/promises';
import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { compareEndState, type Snapshot } from '../rig/oracles/end-state.ts';
import { compareWriteCounts, countWrites, type WriteCounts } from '../rig/oracles/write-counts.ts';
import { acceptedSince, DISTURBANCES, startPair, stopPair, timingOf, type Pair, type Timing } from './pair.ts';
import type { Procedure, ProcedureOptions, ProcedureResult } from './procedure.ts';
import { watchStates } from './states.ts';
import { applySpec, isSeen, leaderOf, readEvents, readSnapshot, resetWorld, untilTrue, type World } from './world.ts';

/** Time until all statuses are written, and Events are sent. */
const SETTLE_MS = 2000;
/** Time in which a returning old leader would do harm. */
const AFTER_MS = 4000;

interface Seen {
  readonly snapshot: Snapshot;
  readonly counts: WriteCounts;
  readonly events: ReadonlyMap<string, number>;
}

/** Events of the namespace by their content; a series counts with its own count. */
async function countEvents(world: World): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const event of await readEvents(world)) {
    const name = [at(event, 'regarding', 'name'), at(event, 'reason'), at(event, 'note')].join(' ');
    const series = at(event, 'series', 'count');
    counts.set(name, (counts.get(name) ?? 0) + (typeof series === 'number' ? series : 1));
  }
  return counts;
}

const edited = (description: string): unknown => manifestOf({ orb_id: 'acme.two@1.0.0', ...swappable, description });

/** Disturbs the leader while there is work. @returns ms from the fault until the next leader has done the work */
async function disturb(world: World, name: string, pair: Pair, timing: Timing): Promise<number> {
  const began = performance.now();
  const disturbed = DISTURBANCES[name]?.(pair, timing);
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
    events: await countEvents(world),
  };
  const faults = [
    ...(takeoverMs > timing.takeoverMs ? [`taken over after ${takeoverMs} ms`] : []),
    ...(zombieWrites > 0 ? [`${zombieWrites} writes of the old leader were accepted after it came back`] : []),
    ...(reference === undefined ? [] : compareSeen(reference, seen)),
    ...(await states.end()),
    ...(await stopPair(pair)),
  ];
  return { seen, result: { name, faults, measured: { takeoverMs, zombieWrites } } };
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
  const timing = timingOf(full);
  const results: ProcedureResult[] = [];
  let reference: Seen | undefined;
  const names = full ? Object.keys(DISTURBANCES) : ['none', 'SIGSTOP, then SIGCONT', 'partition of the leader'];
  for (const name of names) {
    const { seen, result } = await scenario(world, name, { timing, reference });
    reference ??= seen;
    say(`R7 ${name} ${JSON.stringify(result.measured)}`);
    results.push(result);
  }
  return results;
};
