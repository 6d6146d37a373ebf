import { systemClock, type Clock } from '../../adapters/time/clock.ts';

/** The longest step of time that counts. */
const STEP_MS = 50;

interface LiveClock extends Clock {
  /** Releases its timer. */
  readonly stop: () => void;
}

/** A clock whose `monotonic` stops while this process is suspended, because its work takes no time then. */
export function liveClock(): LiveClock {
  let [elapsed, last] = [0, systemClock.monotonic()];
  const monotonic = (): number => {
    const now = systemClock.monotonic();
    elapsed += Math.min(now - last, STEP_MS);
    last = now;
    return elapsed;
  };
  const timer = setInterval(monotonic, STEP_MS / 5);
  return { ...systemClock, monotonic, stop: () => clearInterval(timer) };
}

/** @returns ms that the work takes, without the time in which this process was suspended */
export async function liveMs(work: () => Promise<unknown>): Promise<number> {
  const clock = liveClock();
  const began = clock.monotonic();
  try {
    await work();
    return clock.monotonic() - began;
  } finally {
    clock.stop();
  }
}
