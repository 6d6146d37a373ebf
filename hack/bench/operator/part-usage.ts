import type { Part } from '../../cluster/parts.ts';
import { cpuMicros, peakMb } from '../processes.ts';
import { quantileBetween, scrape, type Scrape } from '../scrape.ts';

/** One measurement of a part of the platform. */
export interface PartUsage {
  readonly scrape: Scrape;
  /** User and system CPU so far, seconds. */
  readonly cpuSeconds: number;
  /** Largest resident memory so far, MB. */
  readonly peakMb: number;
}

/** The work of a part between two measurements. */
export interface Work {
  /** Calls of the Kubernetes API, including watches. */
  readonly calls: number;
  /** Calls that may change something, including leases. */
  readonly writes: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  /** Waiting time in the queue, seconds: bounds of histogram buckets. */
  readonly queueP50: number;
  readonly queueP99: number;
}

const CALLS = 'rest_client_requests_total';
const QUEUE = 'workqueue_queue_duration_seconds';
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

export async function measureUsage(part: Part): Promise<PartUsage> {
  const { pid } = part.process;
  return { scrape: await scrape(part.metricsUrl), cpuSeconds: cpuMicros(pid) / 1e6, peakMb: peakMb(pid) };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

export function between(before: PartUsage, after: PartUsage): Work {
  const grown = (labels: Readonly<Record<string, string>>): number =>
    after.scrape.sum(CALLS, labels) - before.scrape.sum(CALLS, labels);
  const waits = [before.scrape.buckets(QUEUE), after.scrape.buckets(QUEUE)] as const;
  return {
    calls: grown({}),
    writes: WRITES.reduce((total, method) => total + grown({ method }), 0),
    cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
    peakMb: after.peakMb,
    queueP50: quantileBetween(...waits, 0.5),
    queueP99: quantileBetween(...waits, 0.99),
  };
}
