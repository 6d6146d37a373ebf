import { setTimeout as delay } from 'node:timers/promises';

/**
 * Starts callers at a steady rate, whether the previous caller was answered or not. After a pause of this process, all
 * callers that are due start at once.
 * @param perSecond callers
 * @param call the work of one caller, by its number; must not reject
 * @returns stops new callers; resolves when every caller is done
 */
export function startCallers(perSecond: number, call: (number: number) => Promise<unknown>): () => Promise<void> {
  const open = new Set<Promise<unknown>>();
  const stopped = new AbortController();
  const calling = async (): Promise<void> => {
    const began = performance.now();
    for (let number = 0; !stopped.signal.aborted; number += 1) {
      const called = call(number).finally(() => open.delete(called));
      open.add(called);
      const next = began + ((number + 1) * 1000) / perSecond;
      await delay(Math.max(0, next - performance.now()), undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const called = calling();
  return async () => {
    stopped.abort();
    await called;
    await Promise.all(open);
  };
}
