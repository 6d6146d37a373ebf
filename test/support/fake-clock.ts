import type { Clock } from '../../adapters/time/clock.ts';

/** A clock that the test moves. */
export interface MovedClock extends Clock {
  /** Moves both times, ends in order every sleep that is due, and lets the next steps run. */
  readonly advance: (ms: number) => Promise<void>;
}

/** A clock that stands still until the test moves it. */
export interface FakeClock extends MovedClock {
  /** Number of sleeps that are pending. */
  readonly sleeping: () => number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @param start ms since epoch; `monotonic` starts at 0 */
export function createFakeClock(start: number): FakeClock {
  let elapsed = 0;
  const sleepers = new Set<Sleeper>();
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const sleeper: Sleeper = {
        at: elapsed + ms,
        wake: () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
      };
      sleepers.add(sleeper);
      signal.addEventListener('abort', stop, { once: true });
    });
  };
  const advance = async (ms: number): Promise<void> => {
    const end = elapsed + ms;
    for (;;) {
      const [next] = [...sleepers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      elapsed = next.at;
      sleepers.delete(next);
      next.wake();
      await nextTurn();
    }
    elapsed = end;
    await nextTurn();
  };
  return { now: () => start + elapsed, monotonic: () => elapsed, sleep, advance, sleeping: () => sleepers.size };
}
