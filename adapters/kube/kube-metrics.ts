import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { ControllerMetrics } from './controller.ts';
import { createControllerMetrics } from './controller-metrics.ts';
import type { ElectionMetrics } from './election.ts';
import type { EventMetrics } from './event-recorder.ts';
import type { KubeMetrics } from './port.ts';
import type { ListReason } from './recovery.ts';
import { KINDS, OWN_GROUP } from './kinds.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import type { QueueLoad, QueueMetrics } from './work-queue.ts';

/** Everything that the Kubernetes runtime counts. */
export type RuntimeMetrics = KubeMetrics & ControllerMetrics & QueueMetrics & ElectionMetrics & EventMetrics;

interface KubeMetricsOptions {
  /** Kinds with a reflector: their series exist with 0 before anything happens. */
  readonly kinds?: readonly string[];
  readonly clock?: Pick<Clock, 'monotonic'>;
}

const WATCHED = Object.values(KINDS).flatMap(({ group, kind }) => (group === OWN_GROUP ? [kind] : []));
const LIST_REASONS = [
  'start',
  'retry',
  'expired',
  'stalled',
  'early-end',
  'malformed',
  'refused',
] as const satisfies readonly ListReason[];
const RESTART_REASONS = ['ended', 'early-end', 'expired', 'stalled', 'malformed', 'error'];

function clientMetrics(registers: readonly [Registry]): Pick<KubeMetrics, 'request'> {
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server by status, or <error> when no answer came, and method.',
    labelNames: ['code', 'method'],
    registers: [...registers],
  });
  const durations = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time of a request to the API server.',
    labelNames: ['verb'],
    buckets: [...SECONDS_BUCKETS],
    registers: [...registers],
  });
  return {
    request: (method, code, verb, seconds) => {
      requests.inc({ code, method });
      durations.observe({ verb }, seconds);
    },
  };
}

function reflectorMetrics(registers: readonly [Registry], kinds: readonly string[]): Omit<KubeMetrics, 'request'> {
  const byKind = (name: string, help: string): Counter<'kind'> =>
    new Counter({ name, help, labelNames: ['kind'], registers: [...registers] });
  const byReason = (name: string, help: string): Counter<'kind' | 'reason'> =>
    new Counter({ name, help, labelNames: ['kind', 'reason'], registers: [...registers] });
  const gauge = (name: string, help: string): Gauge<'kind'> =>
    new Gauge({ name, help, labelNames: ['kind'], registers: [...registers] });
  const lists = byReason('orb_list_total', 'LISTs by kind and reason.');
  const restarts = byReason('orb_watch_restarts_total', 'Watches that were opened again, by kind and reason.');
  const stalls = byKind('orb_watch_stalls_total', 'Watches that said nothing for 90 s.');
  const rewinds = byKind(
    'orb_kube_history_rewinds_total',
    'LISTs that were older than known objects: etcd was restored.',
  );
  const objects = gauge('orb_cache_objects', 'Objects in the cache.');
  const synced = gauge('orb_cache_synced', '1 after the first complete LIST.');
  for (const kind of kinds) {
    for (const reason of LIST_REASONS) lists.inc({ kind, reason }, 0);
    for (const reason of RESTART_REASONS) restarts.inc({ kind, reason }, 0);
    for (const each of [stalls, rewinds]) each.inc({ kind }, 0);
    for (const each of [objects, synced]) each.set({ kind }, 0);
  }
  return {
    listed: (kind, reason) => lists.inc({ kind, reason }),
    watchRestarted: (kind, reason) => restarts.inc({ kind, reason }),
    watchStalled: (kind) => stalls.inc({ kind }),
    historyRewound: (kind) => rewinds.inc({ kind }),
    cache: (kind, count, isSynced) => {
      objects.set({ kind }, count);
      synced.set({ kind }, isSynced ? 1 : 0);
    },
  };
}

function leaderMetrics(registers: readonly [Registry]): ElectionMetrics & EventMetrics {
  const master = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process leads.',
    labelNames: ['name'],
    registers: [...registers],
  });
  const dropped = new Counter({
    name: 'orb_events_dropped_total',
    help: 'Events that were dropped and are never written.',
    labelNames: ['type'],
    registers: [...registers],
  });
  for (const type of ['Normal', 'Warning']) dropped.inc({ type }, 0);
  return {
    leading: (name, leads) => master.set({ name }, leads ? 1 : 0),
    eventDropped: (type) => dropped.inc({ type }),
  };
}

/**
 * A queue has the name of its controller, and each controller has one kind. Keys of a follower do not count: no worker
 * runs there.
 */
function pendingGauge(
  registers: readonly [Registry],
  kinds: ReadonlyMap<string, string>,
  loads: ReadonlyMap<string, () => QueueLoad>,
): void {
  const pending: Gauge<'kind'> = new Gauge({
    name: 'orb_reconcile_oldest_pending_seconds',
    help: 'Time that the oldest key has waited for a worker; absent in followers.',
    labelNames: ['kind'],
    registers: [...registers],
    collect: () => {
      pending.reset();
      const oldest = new Map<string, number>();
      for (const [name, kind] of kinds) {
        oldest.set(kind, Math.max(oldest.get(kind) ?? 0, loads.get(name)?.().oldestPendingSeconds ?? 0));
      }
      for (const [kind, seconds] of oldest) pending.set({ kind }, seconds);
    },
  });
}

/**
 * The metrics of operator.md A12 in a registry; once for each registry.
 * @throws Error the registry has them already
 */
export function createKubeMetrics(
  registry: Registry,
  { kinds = WATCHED, clock = systemClock }: KubeMetricsOptions = {},
): RuntimeMetrics {
  const registers = [registry] as const;
  const queues = createQueueMetrics(registry);
  const controllers = createControllerMetrics(registry, clock);
  const kindOf = new Map<string, string>();
  pendingGauge(registers, kindOf, queues.loads);
  return {
    ...clientMetrics(registers),
    ...reflectorMetrics(registers, kinds),
    ...leaderMetrics(registers),
    ...queues.metrics,
    controller: (about) => {
      const series = controllers.controller(about);
      return {
        ...series,
        running: (workers) => {
          kindOf.set(about.name, about.kind);
          series.running(workers);
        },
        stopped: () => {
          kindOf.delete(about.name);
          series.stopped();
        },
      };
    },
  };
}
