import type { MeasuredThread } from './start-thread.ts';

/** Beside one busy thread of ordinary priority, one of low priority has a quarter of a core (`lower-priority.ts`). */
const CLOCK_PER_CPU = 5;
/** Shortest time between two samples, ms. */
const SAMPLE_MS = 20;

/** What is used up. */
export type UsedUp = 'processor' | 'clock';

/**
 * Watches how much of the processor a thread uses: a busy machine must not make good work look expensive.
 * @param cpuMs processor time from now on; by the clock the thread has five times as long
 * @param over called once when one of them is used up
 * @returns a function that ends the watch
 */
export function limitCpu(
  thread: Pick<MeasuredThread<never>, 'cpuMs'>,
  cpuMs: number,
  over: (usedUp: UsedUp) => void,
): () => void {
  let isWatched = true;
  let sampleTimer: NodeJS.Timeout | undefined;
  const end = (): void => {
    isWatched = false;
    clearTimeout(sampleTimer);
    clearTimeout(clockTimer);
  };
  const exceed = (usedUp: UsedUp): void => {
    end();
    over(usedUp);
  };
  const clockTimer = setTimeout(() => exceed('clock'), cpuMs * CLOCK_PER_CPU);
  const sample = async (before: number): Promise<void> => {
    const used = (await thread.cpuMs()) - before;
    if (used >= cpuMs && isWatched) return exceed('processor');
    sampleIn(cpuMs - used, before);
  };
  const sampleIn = (ms: number, before: number): void => {
    // No number: the thread has ended.
    if (isWatched && Number.isFinite(ms + before))
      sampleTimer = setTimeout(() => void sample(before), Math.max(SAMPLE_MS, ms));
  };
  const begin = async (): Promise<void> => {
    const before = await thread.cpuMs();
    sampleIn(cpuMs, before);
  };
  void begin();
  return end;
}
