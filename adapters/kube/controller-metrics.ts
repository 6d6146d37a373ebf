import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';
import type { Clock } from '../time/clock.ts';
import type { ControllerMetrics, ReconcileResult } from './controller.ts';

const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const satisfies readonly ReconcileResult[];
/** Prometheus counts in seconds. */
const MS = 1000;

/** A controller whose workers are running. */
interface Running {
  readonly kind: string;
  /** Monotonic ms of the last run without an error, or of the start. */
  succeededAt: number;
}

/**
 * The longest time without a success among the controllers of a kind: a silent stall of a single controller must show
 * (operator.md A12).
 */
function agesByKind(running: Iterable<Running>, now: number): ReadonlyMap<string, number> {
  const ages = new Map<string, number>();
  for (const { kind, succeededAt } of running) {
    ages.set(kind, Math.max(ages.get(kind) ?? 0, (now - succeededAt) / MS));
  }
  return ages;
}

/** Names as controller-runtime's, so that dashboards and alerts for it work. */
export function createControllerMetrics(registry: Registry, clock: Pick<Clock, 'monotonic'>): ControllerMetrics {
  const registers = [registry];
  const counter = (name: string, help: string): Counter<'controller'> =>
    new Counter({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers });
  const gauge = (name: string, help: string): Gauge<'controller'> =>
    new Gauge({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers });
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = counter('reconcile_errors_total', 'Reconciles that failed.');
  const terminals = counter('terminal_reconcile_errors_total', 'Reconciles that found a spec with errors.');
  const panics = counter('reconcile_panics_total', 'Reconciles that failed by a bug.');
  const timeouts = counter('reconcile_timeouts_total', 'Reconciles that were ended after 60 s.');
  const seconds = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of a reconcile.',
    labelNames: ['controller'],
    buckets: [...SECONDS_BUCKETS],
    registers,
  });
  const most = gauge('max_concurrent_reconciles', 'Workers.');
  const active = gauge('active_workers', 'Workers that reconcile now.');
  const running = new Map<string, Running>();
  const age: Gauge<'kind'> = new Gauge({
    name: 'orb_reconcile_last_success_age_seconds',
    help: 'Time since the last reconcile without an error, of the worst controller of the kind; absent in followers.',
    labelNames: ['kind'],
    registers,
    collect: () => {
      age.reset();
      for (const [kind, value] of agesByKind(running.values(), clock.monotonic())) age.set({ kind }, value);
    },
  });

  const controller: ControllerMetrics['controller'] = ({ name, kind }) => {
    const labels = { controller: name };
    for (const result of RESULTS) total.inc({ ...labels, result }, 0);
    for (const each of [errors, terminals, panics, timeouts]) each.inc(labels, 0);
    for (const each of [most, active]) each.set(labels, 0);
    seconds.zero(labels);
    return {
      running: (workers) => {
        most.set(labels, workers);
        running.set(name, { kind, succeededAt: clock.monotonic() });
      },
      stopped: () => void running.delete(name),
      began: () => active.inc(labels),
      ended: (result, duration) => {
        active.dec(labels);
        if (result === undefined) return;
        total.inc({ ...labels, result });
        seconds.observe(labels, duration);
        const about = running.get(name);
        if (result === 'error') errors.inc(labels);
        else if (result !== 'requeue' && about !== undefined) about.succeededAt = clock.monotonic();
      },
      terminal: () => terminals.inc(labels),
      panic: () => panics.inc(labels),
      timeout: () => timeouts.inc(labels),
    };
  };
  return { controller };
}
