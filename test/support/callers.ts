import { setTimeout as delay } from 'node:timers/promises';

/**
 * Starts callers at a steady rate, whether the previous caller was answered or not. After a pause of this process, all
 * callers that are due start at once, also when it stops.
 * @param perSecond callers
 * @param call the work of one caller, by its number; must not reject
 * @returns stops new callers; resolves when every caller is done
 */
export function startCallers(perSecond: number, call: (number: number) => Promise<unknown>): () => Promise<void> {
  const open = new Set<Promise<unknown>>();
  const stopped = new AbortController();
  const began = performance.now();
  let stoppedAt = Infinity;
  const start = (number: number): void => {
    const called = call(number).finally(() => open.delete(called));
    open.add(called);
  };
  const calling = async (): Promise<void> => {
    for (let number = 0; ;) {
      const due = ((Math.min(stoppedAt, performance.now()) - began) * perSecond) / 1000;
      while (number <= due) start(number++);
      if (stopped.signal.aborted) return;
      const wait = began + (number * 1000) / perSecond - performance.now();
      await delay(Math.max(0, wait), undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const called = calling();
  return async () => {
    stoppedAt = performance.now();
    stopped.abort();
    await called;
    await Promise.all(open);
  };
}
