import { setTimeout as delay } from 'node:timers/promises';

/** Time as adapters see it. Deadlines and durations are measured on `monotonic`, stamps on `now`. */
export interface Clock {
  /** Milliseconds since the epoch (wall clock, may step). */
  readonly now: () => number;
  /** Milliseconds from an arbitrary start; never goes back. */
  readonly monotonic: () => number;
  /**
   * Waits `ms` milliseconds; rejects with `signal.reason` when aborted.
   * @param options `ref: false`: this wait alone does not keep the process alive
   */
  readonly sleep: (ms: number, signal: AbortSignal, options?: { readonly ref?: boolean }) => Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal, { ref = true } = {}) => {
    try {
      await delay(ms, undefined, { signal, ref });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};
