import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** The metrics of a process that does not execute runs; `serveMetrics` serves it. */
export interface ProcessMetrics {
  readonly registry: Registry;
  readonly slices: () => AsyncGenerator<string>;
}

/** The rate of this counter is the utilisation of the event loop: 1 means that the main thread never waits. */
function countBusyLoop(registry: Registry, busyMs: () => number): void {
  const busy: Counter = new Counter({
    name: 'orb_event_loop_busy_seconds_total',
    help: 'Time in which the event loop of the main thread ran code instead of waiting.',
    registers: [registry],
    collect: () => {
      busy.reset();
      busy.inc(busyMs() / 1000);
    },
  });
}

const loopBusyMs = (): number => performance.eventLoopUtilization().active;

interface ProcessMetricsOptions {
  /** Time in which the event loop ran code since the process began, ms. */
  readonly busyMs?: () => number;
  /** False: `nodejs_eventloop_lag_…` is left out. Its timer runs every 10 ms, which is most of what an idle process takes. */
  readonly hasLag?: boolean;
}

const LAG = /^nodejs_eventloop_lag_/;
/** A timer that practically never runs; prom-client has no way to leave it out. */
const NO_LAG_MS = 86_400_000;

function collectFromNode(registry: Registry, hasLag: boolean): void {
  collectDefaultMetrics({ register: registry, ...(hasLag ? {} : { eventLoopMonitoringPrecision: NO_LAG_MS }) });
  if (hasLag) return;
  for (const { name } of registry.getMetricsAsArray()) if (LAG.test(name)) registry.removeSingleMetric(name);
}

/**
 * A registry with Node's metrics, the use of the event loop, and `orb_build_info`.
 * @param version of the platform
 */
export function createProcessMetrics(
  version: string,
  { busyMs = loopBusyMs, hasLag = true }: ProcessMetricsOptions = {},
): ProcessMetrics {
  const registry = new Registry();
  collectFromNode(registry, hasLag);
  countBusyLoop(registry, busyMs);
  const build = new Gauge({
    name: 'orb_build_info',
    help: 'Version of the platform and of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.version }, 1);
  return {
    registry,
    slices: async function* slices() {
      yield `${await registry.metrics()}\n`;
    },
  };
}
