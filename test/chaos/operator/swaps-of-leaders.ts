import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { manifestOf } from '../../support/kube-objects.ts';
import { seededRandom } from '../seeded-random.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { checkSwaps, type SwapsOfOrb } from '../rig/oracles/swaps.ts';
import type { Health } from '../rig/scripted-metrics.ts';
import { acceptedSince, DISTURBANCES, startPair, stopPair, timingOf, type Disturb, type Timing } from './pair.ts';
import type { Procedure, ProcedureOptions, ProcedureResult } from './procedure.ts';
import { watchStates, type States } from './states.ts';
import { isMeasured, measured } from './workloads.ts';
import { applySpec, leaderOf, pathOf, readEvents, resetWorld, untilTrue, type World } from './world.ts';

const ORBS = Array.from({ length: 12 }, (_, index) => `swapped-${index + 1}`);
const orbIdOf = (name: string): string => `acme.${name}@1.0.0`;

/** The leader is stopped while its swap is in flight; the swap arrives long after another leader took over. */
const writeInFlight: Disturb = async ({ leader }, { outageMs }) => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  let used = false;
  const remove = leader.proxy.addRule(({ request }) => {
    if (used || request.resource !== 'orbs' || request.fieldManager !== 'orb-operator') return undefined;
    used = true;
    leader.operator.process.kill('SIGSTOP');
    resolve();
    return { kind: 'delay', ms: outageMs };
  });
  await held;
  await delay(outageMs);
  leader.operator.process.kill('SIGCONT');
  remove();
};

const FAULTS: Readonly<Record<string, Disturb>> = {
  ...DISTURBANCES,
  'a swap in flight from a leader that stands still': writeInFlight,
};
const REDUCED = ['a swap in flight from a leader that stands still'];

const EVALUATION_MS = 15_000;
const PAUSE_MS = [300, 2000] as const;
const PIN_MS = 600_000;
/** Time until no decision is open, and every decision is written and reported. */
const SETTLE_MS = 4000;
/** Time in which a returning old leader would do harm. */
const AFTER_MS = 6000;

const setHealth = ({ metrics, namespace }: World, name: string, health: Readonly<Record<string, Health>>): void =>
  metrics.set({ namespace, orbId: orbIdOf(name) }, { main: 'well', other: 'well', ...health });

const activeOf = async (world: World, name: string): Promise<string> =>
  at(await world.api.ok('GET', pathOf(world, 'orbs', name)), 'status', 'failover', 'activeProvider') === 'other'
    ? 'other'
    : 'main';

async function swapByHand(world: World, name: string): Promise<void> {
  const provider = (await activeOf(world, name)) === 'other' ? 'main' : 'other';
  const pin = {
    provider,
    mode: 'once',
    id: `swp_${randomUUID()}`,
    expires_at: new Date(Date.now() + PIN_MS).toISOString(),
  };
  await applySpec(world, 'orbs', name, manifestOf({ ...measured, orb_id: orbIdOf(name), pin }));
}

/** Keeps swaps coming until the signal is aborted: by hand, and by metrics of the active provider. */
async function keepSwapping(world: World, random: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const name = ORBS[Math.floor(random() * ORBS.length)] ?? '';
    if (random() < 0.3) await swapByHand(world, name);
    else {
      const health = (['slow', 'failing', 'failing'] as const)[Math.floor(random() * 3)] ?? 'slow';
      setHealth(world, name, { [await activeOf(world, name)]: health });
    }
    const pause = PAUSE_MS[0] + random() * (PAUSE_MS[1] - PAUSE_MS[0]);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

async function createOrbs(world: World): Promise<void> {
  for (const name of ORBS) {
    setHealth(world, name, {});
    await applySpec(world, 'orbs', name, manifestOf({ ...measured, orb_id: orbIdOf(name) }));
  }
  const isEvaluated = async (): Promise<boolean> => (await world.api.list(pathOf(world, 'orbs'))).every(isMeasured);
  await untilTrue('the metrics were not evaluated', isEvaluated, EVALUATION_MS * 2);
}

const countOf = (orbs: readonly SwapsOfOrb[]): number => orbs.reduce((sum, { swaps }) => sum + swaps.length, 0);

/** Swaps before, while and after the leader is disturbed. */
async function disturb(
  world: World,
  act: () => Promise<void>,
  { states, timing, random }: { readonly states: States; readonly timing: Timing; readonly random: () => number },
): Promise<void> {
  const ending = new AbortController();
  const swapping = keepSwapping(world, random, ending.signal);
  try {
    const before = countOf(states.swaps());
    await untilTrue('nothing is swapped', async () => countOf(states.swaps()) > before, EVALUATION_MS * 2);
    await delay(random() * 2000);
    await act();
    await delay(AFTER_MS);
    const after = countOf(states.swaps());
    const goesOn = async (): Promise<boolean> => countOf(states.swaps()) > after;
    await untilTrue('nothing is swapped after it', goesOn, timing.takeoverMs + EVALUATION_MS * 2);
  } finally {
    ending.abort();
    await swapping;
  }
}

async function scenario(world: World, name: string, timing: Timing, random: () => number): Promise<ProcedureResult> {
  await resetWorld(world);
  const flags = ['--failover-tick', '1s', '--prometheus-url', world.metrics.url];
  const pair = await startPair(world, timing, flags);
  const states = await watchStates(world);
  await createOrbs(world);
  let zombieFrom = Infinity;
  const act = async (): Promise<void> => {
    await FAULTS[name]?.(pair, timing);
    zombieFrom = pair.leader.proxy.journal.now();
  };
  await disturb(world, act, { states, timing, random });
  for (const one of ORBS) world.metrics.remove({ namespace: world.namespace, orbId: orbIdOf(one) });
  await delay(SETTLE_MS);
  const isLeader = (await leaderOf(world)) === pair.leader.identity;
  const zombieWrites = isLeader ? 0 : acceptedSince(pair.leader, zombieFrom);
  const orbs = states.swaps();
  const faults = [
    ...(zombieWrites > 0 ? [`${zombieWrites} writes of the old leader were accepted after it came back`] : []),
    ...checkSwaps(orbs, await readEvents(world)),
    ...(await states.end()),
    ...(await stopPair(pair)),
  ];
  const epochs = new Set(orbs.flatMap(({ swaps }) => swaps.map(({ epoch }) => epoch))).size;
  return { name, faults, measured: { swaps: countOf(orbs), epochs, zombieWrites } };
}

/** R7 with swaps in flight (failover.md §13, S22): each swap once, in order, with one Event, under any leader. */
export const swapsOfLeaders: Procedure = async (world, { full, say, seed }: ProcedureOptions) => {
  const timing = timingOf(full);
  const random = seededRandom(seed);
  const results: ProcedureResult[] = [];
  for (const name of full ? Object.keys(FAULTS) : REDUCED) {
    const result = await scenario(world, name, timing, random);
    say(`R7 swaps, ${name} ${JSON.stringify(result.measured)}`);
    results.push(result);
  }
  return results;
};
