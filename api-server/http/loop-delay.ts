import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  /** Mean delay of the last whole second, ms. */
  readonly meanMs: () => number;
  readonly close: () => void;
}

const RESOLUTION_MS = 10;

/**
 * Measures the delay of the event loop (performance.md §3.4). The histogram includes the interval: it is subtracted.
 */
export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let mean = 0;
  const timer = setInterval(() => {
    mean = histogram.count === 0 ? 0 : Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS);
    histogram.reset();
  }, 1000).unref();
  const close = (): void => {
    clearInterval(timer);
    histogram.disable();
  };
  return { meanMs: () => mean, close };
}
