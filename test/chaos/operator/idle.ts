import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../seeded-random.ts';
import { checkIdle } from '../rig/oracles/steady-state.ts';
import type { Procedure } from './procedure.ts';
import { startSubject } from './subject.ts';
import { isSeen, resetWorld, untilTrue } from './world.ts';
import { WORKLOADS } from './workloads.ts';

const FULL_MS = 600_000;
const REDUCED_MS = 10_000;
/** Events are told in their own time after the last write. */
const SETTLE_MS = 5000;

/** Oracle c: after W1 nothing happens; the operator writes nothing but its lease and asks at most once a second. */
export const idle: Procedure = async (world, { seed, full }) => {
  await resetWorld(world);
  const subject = await startSubject(world, seededRandom(seed));
  for (const step of WORKLOADS.W1) {
    await step.act(world);
    await untilTrue('the operator has not seen everything', () => isSeen(world), 30_000);
  }
  await delay(SETTLE_MS);
  const began = subject.proxy.journal.now();
  await delay(full ? FULL_MS : REDUCED_MS);
  const found = checkIdle(subject.proxy.journal, { from: began, to: subject.proxy.journal.now() });
  const process = await subject.stop();
  const { writes, calls, callsPerSecond, ms } = found;
  return [{ name: 'idle', faults: [...found.faults, ...process], figures: { writes, calls, callsPerSecond, ms } }];
};
