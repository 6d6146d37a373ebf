/** Limits how many run at once; the others wait in order. */
export interface Semaphore {
  /** Runs `work` when there is room. @throws the signal's reason when it is aborted while waiting */
  readonly pass: <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
}

/** @param limit ≥ 1 */
export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  let active = 0;
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (active < limit) {
      active += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal.reason);
      };
      const mine = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      waiting.push(mine);
      signal.addEventListener('abort', stop, { once: true });
    });
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) active -= 1;
    else next(); // the next in line takes the place
  };
  const pass: Semaphore['pass'] = async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { pass };
}
