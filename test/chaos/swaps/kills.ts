import { setTimeout as delay } from 'node:timers/promises';
import type { KubeRequest } from '../rig/kube-request.ts';
import { CRASH_MODES, type CrashMode, type Rule } from '../rig/rules.ts';
import type { SwapPlatform } from './platform.ts';

export interface KillOptions {
  readonly kills: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly say: (line: string) => void;
}

/** Number of kills by their trigger. */
export type KillCounts = Readonly<Record<string, number>>;

const AIMED_MS = 16_000;
const RANDOM_MS = 3000;
/** Time in which to kill the API after a swap: the API writes the receipt in this time. */
const MINTING_MS = 60;
const SWAP_MS = 20_000;

/** Triggers of kills: the write of a swap, and its Event. */
const AIMS = ['orbs', 'events'] as const;

/** One request of an operator that a kill waits for. */
interface Aim {
  readonly resource: (typeof AIMS)[number];
  readonly mode: CrashMode;
  /** Set by the first matching request of either operator. */
  used: boolean;
  readonly onHit: () => void;
}

const meets = ({ resource }: Aim, { resource: asked, verb, fieldManager }: KubeRequest): boolean =>
  resource === 'events' ? asked === 'events' && verb === 'create' : asked === 'orbs' && fieldManager === 'orb-operator';

const aimed =
  (aim: Aim, killOwn: () => Promise<void>): Rule =>
  ({ request }) => {
    if (aim.used || !meets(aim, request)) return undefined;
    aim.used = true;
    const kill = async (): Promise<void> => {
      await killOwn();
      aim.onHit();
    };
    return { kind: 'kill', when: aim.mode, kill };
  };

async function killAimed({ operators }: SwapPlatform, random: () => number): Promise<string> {
  const resource = AIMS[Math.floor(random() * AIMS.length)] ?? 'orbs';
  const mode = CRASH_MODES[Math.floor(random() * CRASH_MODES.length)] ?? 'after-send';
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const aim: Aim = { resource, mode, used: false, onHit: () => resolve(true) };
  const remove = operators.addRule((kill) => aimed(aim, kill));
  const timer = setTimeout(() => resolve(aim.used), AIMED_MS);
  const isHit = await promise;
  clearTimeout(timer);
  remove();
  if (isHit) return `operator ${mode} of ${resource}`;
  await operators.killLeader();
  return 'operator at any time';
}

async function killAtAnyTime({ operators }: SwapPlatform, random: () => number): Promise<string> {
  await delay(random() * RANDOM_MS);
  await operators.killLeader();
  return 'operator at any time';
}

async function killApi({ untilSwap, killApi: kill }: SwapPlatform, random: () => number): Promise<string> {
  const seen = await untilSwap(SWAP_MS);
  await delay(random() * MINTING_MS);
  await kill();
  return seen ? 'API while a swap gets its receipt' : 'API at any time';
}

async function killApiAtAnyTime({ killApi: kill }: SwapPlatform, random: () => number): Promise<string> {
  await delay(random() * RANDOM_MS);
  await kill();
  return 'API at any time';
}

async function killBoth(platform: SwapPlatform, random: () => number): Promise<string> {
  await platform.untilSwap(SWAP_MS);
  await delay(random() * MINTING_MS);
  await Promise.all([platform.operators.killLeader(), platform.killApi()]);
  return 'both at once';
}

const KILLS = [killAimed, killApi, killAimed, killBoth, killAtAnyTime, killAimed, killApi, killApiAtAnyTime] as const;

/** Kills operator and API repeatedly while swaps are in progress. */
export async function killAgain(platform: SwapPlatform, { kills, random, say }: KillOptions): Promise<KillCounts> {
  const counts = new Map<string, number>();
  for (let done = 0; done < kills; done += 1) {
    const kill = KILLS[done < KILLS.length ? done : Math.floor(random() * KILLS.length)] ?? killAimed;
    const what = await kill(platform, random);
    counts.set(what, (counts.get(what) ?? 0) + 1);
    const orbs = platform.witness.orbs();
    const swaps = orbs.reduce((sum, { swaps: own }) => sum + own.length, 0);
    say(`kill ${done + 1}: ${what}; ${swaps} swaps of ${orbs.length} Orbs`);
    await platform.operators.settled();
  }
  return Object.fromEntries(counts);
}
