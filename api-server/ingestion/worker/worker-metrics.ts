import { Counter, Gauge, type Registry } from 'prom-client';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import { SEVERITIES } from '../../../core/ingestion/mapping/signal.ts';

const REASONS = [
  'bad_json',
  'schema',
  'mapping_error',
  'no_entity',
  'ambiguous_entity',
  'policy_denied',
  'limits',
  'downstream',
] as const;

export interface WorkerMetricSources {
  readonly ledger: Pick<Ledger, 'queueDepth' | 'openIncidentCounts'>;
  readonly now: () => number;
  /** Seconds; undefined: this process does not hold the lease. */
  readonly successAge: () => number | undefined;
}

const MS = 1000;

/** A gauge that keeps its last value while the ledger is away. */
function ledgerGauge(registry: Registry, name: string, help: string, read: () => Promise<number>): void {
  const made: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const value = await read().catch(() => undefined);
      if (value !== undefined) made.set(value);
    },
  });
}

/** Metrics of what happens after a delivery was accepted. @returns counts a delivery that became a dead letter */
export function createWorkerMetrics(registry: Registry, sources: WorkerMetricSources): (reason: string) => void {
  const { ledger, now, successAge } = sources;
  const dead = new Counter({
    name: 'orb_ingest_dead_letters',
    help: 'Deliveries that became dead letters in this process, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of REASONS) dead.inc({ reason }, 0);
  ledgerGauge(registry, 'orb_ingest_queue_depth', 'Deliveries that wait to be mapped.', async () => {
    const { sources: waiting } = await ledger.queueDepth();
    return waiting.reduce((sum, source) => sum + source.waiting, 0);
  });
  ledgerGauge(
    registry,
    'orb_ingest_processing_lag_seconds',
    'Age of the oldest delivery that waits to be mapped; 0 when none waits.',
    async () => {
      const { oldestReceivedAt } = await ledger.queueDepth();
      return oldestReceivedAt === null ? 0 : Math.max(0, now() - oldestReceivedAt) / MS;
    },
  );
  const age: Gauge = new Gauge({
    name: 'orb_ingest_worker_last_success_age_seconds',
    help: 'Time since the worker that maps deliveries last succeeded; only in the replica that maps them.',
    registers: [registry],
    collect: () => {
      const seconds = successAge();
      age.remove();
      if (seconds !== undefined) age.set(seconds);
    },
  });
  const open: Gauge<'severity'> = new Gauge({
    name: 'orb_incidents_open',
    help: 'Incidents that have not ended, by severity.',
    labelNames: ['severity'],
    registers: [registry],
    collect: async () => {
      const counts = await ledger.openIncidentCounts().catch(() => undefined);
      if (counts === undefined) return;
      for (const severity of SEVERITIES)
        open.set({ severity }, counts.find((count) => count.severity === severity)?.open ?? 0);
    },
  });
  return (reason) => dead.inc({ reason });
}
