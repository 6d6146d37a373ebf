import type { Clock } from '../time/clock.ts';

const RESYNC_MS = 600_000;

/** Calls `resync` every 10 minutes (operator.md A3). Ends only with the signal's reason. */
export async function resyncPeriodically(clock: Clock, resync: () => void, signal: AbortSignal): Promise<never> {
  for (;;) {
    await clock.sleep(RESYNC_MS, signal, { ref: false });
    resync();
  }
}
