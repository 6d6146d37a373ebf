import type { WorkQueue } from '../../../adapters/kube/port.ts';
import { createWorkQueue } from '../../../adapters/kube/work-queue.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { recordMetrics, type RecordedMetrics } from './runtime-recorders.ts';

interface AQueue {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly noted: RecordedMetrics;
  /** The next key if one is ready. */
  readonly poll: () => Promise<string | undefined>;
  /** All keys that may run now, each done at once. */
  readonly drain: () => Promise<readonly string[]>;
}

export function aQueue(): AQueue {
  const clock = createFakeClock(0);
  const noted = recordMetrics();
  const queue = createWorkQueue({ name: 'orb', clock, metrics: noted.metrics });
  const poll = (): Promise<string | undefined> => {
    const now = new AbortController();
    const key = queue.get(now.signal);
    now.abort();
    return key;
  };
  const drain = async (): Promise<readonly string[]> => {
    const keys: string[] = [];
    for (let key = await poll(); key !== undefined; key = await poll()) {
      keys.push(key);
      queue.done(key);
    }
    return keys;
  };
  return { clock, queue, noted, poll, drain };
}
