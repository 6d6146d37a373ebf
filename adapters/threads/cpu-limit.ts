import type { MeasuredThread } from './start-thread.ts';

/** A thread of low priority gets no less than a fifth of a busy core for long. */
const CLOCK_PER_CPU = 5;
/** Shortest time between two looks at the thread, ms. */
const LOOK_MS = 20;

/**
 * Watches how much of the processor a thread uses: a busy machine must not make good work look expensive.
 * @param cpuMs processor time from now on; by the clock the thread has five times as long
 * @param over called once when one of them is used up
 * @returns a function that ends the watch
 */
export function limitCpu(thread: Pick<MeasuredThread<never>, 'cpuMs'>, cpuMs: number, over: () => void): () => void {
  let isWatched = true;
  let look: NodeJS.Timeout | undefined;
  const end = (): void => {
    isWatched = false;
    clearTimeout(look);
    clearTimeout(late);
  };
  const stop = (): void => {
    end();
    over();
  };
  const late = setTimeout(stop, cpuMs * CLOCK_PER_CPU);
  const lookAgain = async (before: number): Promise<void> => {
    const used = (await thread.cpuMs()) - before;
    if (!isWatched) return;
    if (used >= cpuMs) return stop();
    look = setTimeout(() => void lookAgain(before), Math.max(LOOK_MS, cpuMs - used));
  };
  const begin = async (): Promise<void> => {
    const before = await thread.cpuMs();
    if (isWatched) look = setTimeout(() => void lookAgain(before), cpuMs);
  };
  void begin();
  return end;
}
