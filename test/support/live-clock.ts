import { systemClock, type Clock } from '../../adapters/time/clock.ts';

/** Of a step of time, what counts at most. */
const STEP_MS = 50;

interface LiveClock extends Clock {
  /** Gives its timer back. */
  readonly stop: () => void;
}

/** A clock on whose `monotonic` no time passes while this process stands still, for that is no time that its work takes. */
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

/** @returns ms that the work takes, without those in which this process stood still */
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
