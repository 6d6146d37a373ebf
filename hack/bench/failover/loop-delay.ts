import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** What some work cost this process. */
export interface Cost {
  readonly ms: number;
  /** User and system, of all threads. */
  readonly cpuMs: number;
  /** Longest time for which others had no turn. */
  readonly holdMs: number;
}

const RESOLUTION_MS = 1;

/** Begins to measure; the function returned ends it. */
export function startCost(): () => Cost {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const ms = performance.now() - began;
    delay.disable();
    // The histogram holds the time between two turns of a timer, so what it waits for anyway is in it.
    return { ms, cpuMs: (user + system) / 1000, holdMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) };
  };
}
