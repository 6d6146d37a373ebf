import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../seeded-random.ts';
import { checkIdle } from '../rig/oracles/steady-state.ts';
import type { Procedure } from './procedure.ts';
import { startSubject } from './subject.ts';
import { isSeen, resetWorld, untilTrue } from './world.ts';
import { flagsOf, WORKLOADS } from './workloads.ts';

const FULL_MS = 600_000;
/** Watches end after some minutes, several at once: a shorter time would count them as a rate. */
const REDUCED_MS = 20_000;
/** Time for Events, which are sent some time after the last write. */
const SETTLE_MS = 5000;

/**
 * Oracle c: after W1, with metrics that are evaluated every 15 s, nothing happens. The operator writes only its lease,
 * and sends at most one request a second.
 */
export const idle: Procedure = async (world, { seed, full }) => {
  await resetWorld(world);
  const { metrics, namespace } = world;
  for (const orbId of ['acme.two@1.0.0', 'acme.three@1.0.0'])
    metrics.set({ namespace, orbId }, { main: 'well', other: 'well' });
  const subject = await startSubject(world, seededRandom(seed), flagsOf('W5', world));
  for (const { act, isDone = isSeen } of [...WORKLOADS.W1, ...WORKLOADS.W5.slice(0, 1)]) {
    await act(world);
    await untilTrue('the operator has not seen everything', () => isSeen(world), 30_000);
    await untilTrue('the operator has not evaluated the metrics', () => isDone(world), 30_000);
  }
  await delay(SETTLE_MS);
  const began = subject.proxy.journal.now();
  await delay(full ? FULL_MS : REDUCED_MS);
  const found = checkIdle(subject.proxy.journal, { from: began, to: subject.proxy.journal.now() });
  const process = await subject.stop();
  const { writes, calls, callsPerSecond, ms } = found;
  return [{ name: 'idle', faults: [...found.faults, ...process], measured: { writes, calls, callsPerSecond, ms } }];
};
