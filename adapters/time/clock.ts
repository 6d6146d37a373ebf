/** Time as adapters see it. Deadlines and durations use `monotonic`, timestamps use `now`. */
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
  // Written by hand: `timers/promises` makes an error with a stack for every wait that is aborted, and most of our
  // waits are.
  sleep: (ms, signal, { ref = true } = {}) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (!ref) timer.unref();
      signal.addEventListener('abort', stop, { once: true });
    }),
};
