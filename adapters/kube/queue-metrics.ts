import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';
import type { QueueLoad, QueueMetrics } from './work-queue.ts';

/** controller-runtime's numbers, and a higher one. It has no number for keys that fail again and again. */
const PRIORITIES = { urgent: '200', high: '100', normal: '0', low: '-100', poison: 'poison' } as const satisfies Record<
  keyof QueueLoad['depths'],
  string
>;

const LANES = ['urgent', 'high', 'normal', 'low', 'poison'] as const satisfies readonly (keyof typeof PRIORITIES)[];

type Loads = ReadonlyMap<string, () => QueueLoad>;

interface LoadGauge {
  readonly name: string;
  readonly help: string;
  readonly read: (load: QueueLoad) => number;
}

function loadGauge(registry: Registry, loads: Loads, { name, help, read }: LoadGauge): void {
  const made: Gauge<'name' | 'controller'> = new Gauge({
    name,
    help,
    labelNames: ['name', 'controller'],
    registers: [registry],
    collect: () => {
      for (const [queue, load] of loads) made.set({ name: queue, controller: queue }, read(load()));
    },
  });
}

function depthGauge(registry: Registry, loads: Loads): void {
  const depth: Gauge<'name' | 'controller' | 'priority'> = new Gauge({
    name: 'workqueue_depth',
    help: 'Keys that wait for a worker.',
    labelNames: ['name', 'controller', 'priority'],
    registers: [registry],
    collect: () => {
      for (const [name, load] of loads) {
        const { depths } = load();
        for (const lane of LANES) depth.set({ name, controller: name, priority: PRIORITIES[lane] }, depths[lane]);
      }
    },
  });
}

/** Names are client-go's, so that dashboards and alerts for it work. A queue has the name of its controller. */
export function createQueueMetrics(registry: Registry): { readonly metrics: QueueMetrics; readonly loads: Loads } {
  const loads = new Map<string, () => QueueLoad>();
  const registers = [registry];
  const labelNames = ['name', 'controller'] as const;
  const counter = (name: string, help: string): Counter<'name' | 'controller'> =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string): Histogram<'name' | 'controller'> =>
    new Histogram({ name, help, labelNames, buckets: [...SECONDS_BUCKETS], registers });
  const adds = counter('workqueue_adds_total', 'Keys that were added; a key that already waits is not counted again.');
  const retries = counter('workqueue_retries_total', 'Keys that were added again after a failure.');
  const waited = histogram('workqueue_queue_duration_seconds', 'Time from the add of a key to its worker.');
  const worked = histogram('workqueue_work_duration_seconds', 'Time of a key with its worker.');
  depthGauge(registry, loads);
  const gauges: readonly LoadGauge[] = [
    {
      name: 'workqueue_unfinished_work_seconds',
      help: 'Time of all keys with workers, together.',
      read: (load) => load.unfinishedSeconds,
    },
    {
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Time of the key that has been with its worker longest.',
      read: (load) => load.longestRunningSeconds,
    },
  ];
  for (const each of gauges) loadGauge(registry, loads, each);

  const queue: QueueMetrics['queue'] = (name, load) => {
    const labels = { name, controller: name };
    loads.set(name, load);
    for (const each of [adds, retries]) each.inc(labels, 0);
    for (const each of [waited, worked]) each.zero(labels);
    return {
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      started: (seconds) => waited.observe(labels, seconds),
      ended: (seconds) => worked.observe(labels, seconds),
    };
  };
  return { metrics: { queue }, loads };
}
