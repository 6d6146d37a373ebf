import { setTimeout as delay } from 'node:timers/promises';
import { readEvents, type World } from '../operator/world.ts';
import { checkSwaps } from '../rig/oracles/swaps.ts';
import { checkLedger } from './check-ledger.ts';
import { checkReceipts } from './check-receipts.ts';
import { drive } from './driver.ts';
import { killAgain, type KillCounts, type KillOptions } from './kills.ts';
import { startSwapPlatform } from './platform.ts';

/** The result for swaps whose operator and API were killed. */
export interface KilledSwaps {
  readonly kills: KillCounts;
  readonly orbs: number;
  readonly swaps: number;
  /** Swaps by their reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly epochs: number;
  readonly asked: number;
  readonly unanswered: number;
  readonly acknowledged: number;
  readonly receipts: number;
  readonly followed: number;
  readonly events: number;
  /** Empty: each swap once, with one Event and one receipt. */
  readonly faults: readonly string[];
}

/** Time until no decision is open, and every decision is written and reported. */
const SETTLE_MS = 6000;

const countBy = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(names)].toSorted().map((name) => [name, names.filter((one) => one === name).length]));

/**
 * Kills operators and API while swaps happen by hand and by metrics. At the end every swap must have happened once,
 * with one Event and one receipt (failover.md §13, S22).
 */
export async function killSwaps(world: World, options: KillOptions): Promise<KilledSwaps> {
  const platform = await startSwapPlatform(world);
  const ending = new AbortController();
  try {
    const driving = drive(platform, options.random, ending.signal);
    const kills = await killAgain(platform, options).finally(() => ending.abort());
    const driven = await driving;
    world.metrics.refuse();
    await delay(SETTLE_MS);
    const orbs = platform.witness.orbs();
    const swaps = orbs.flatMap((orb) => orb.swaps);
    const checked = await checkReceipts(platform, orbs);
    const events = await readEvents(world);
    const known = new Set(swaps.map(({ receiptId }) => receiptId));
    const lost = [...driven.acknowledged].filter((receiptId) => !known.has(receiptId));
    const faults = [
      ...(swaps.length === 0 ? ['nothing was swapped'] : []),
      ...platform.witness.faults(),
      ...checkSwaps(orbs, events),
      ...checked.faults,
      ...driven.faults,
      ...lost.map((receiptId) => `the swap of ${receiptId} was acknowledged and is lost`),
      ...(await platform.stop()),
      ...(await checkLedger(platform.api().data, world.namespace, swaps.length)),
    ];
    return {
      kills,
      orbs: orbs.length,
      swaps: swaps.length,
      reasons: countBy(swaps.map(({ reason }) => reason)),
      epochs: new Set(swaps.map(({ epoch }) => epoch)).size,
      asked: driven.asked,
      unanswered: driven.unanswered,
      acknowledged: driven.acknowledged.size,
      receipts: checked.receipts,
      followed: checked.followed,
      events: events.length,
      faults,
    };
  } finally {
    ending.abort();
    await platform.dispose();
  }
}
