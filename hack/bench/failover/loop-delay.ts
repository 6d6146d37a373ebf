import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** The cost of some work in this process. */
export interface Cost {
  readonly ms: number;
  /** User and system CPU, of all threads. */
  readonly cpuMs: number;
  /** Longest time for which other work had no turn. */
  readonly holdMs: number;
}

const RESOLUTION_MS = 1;

/** Starts a measurement; the returned function ends it. */
export function startCost(): () => Cost {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const ms = performance.now() - began;
    delay.disable();
    // The histogram holds the time between two turns of a timer, which includes the timer's own interval.
    return { ms, cpuMs: (user + system) / 1000, holdMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) };
  };
}
