import type { PlatformClient } from '../../adapters/platform-api/client.ts';
import type { Clock } from '../../adapters/time/clock.ts';

const AGAIN_MS = 1000;
const LONGEST_MS = 60_000;
const CALL_MS = 2000;

/**
 * Waits until the API answers anything, at most a minute: an installation starts both at once, and the time before is no
 * outage. @param signal ends it. Never rejects.
 */
export async function untilApiAnswers(
  api: PlatformClient,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + LONGEST_MS;
  while (!signal.aborted && clock.monotonic() < end) {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
    const { kind } = await api.call({ method: 'GET', path: '/livez' }, deadline);
    if (kind === 'answered') return;
    await clock.sleep(AGAIN_MS, signal, { ref: false }).catch(() => undefined);
  }
}
