import type { Outcome } from '../../../core/reconcile/outcome.ts';
import { createController, type Controller, type ControllerOptions } from '../../../adapters/kube/controller.ts';
import type { WorkQueue } from '../../../adapters/kube/port.ts';
import { createWorkQueue } from '../../../adapters/kube/work-queue.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { recordLog, recordMetrics, type RecordedLog } from './runtime-recorders.ts';

interface StartedController {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  readonly log: RecordedLog;
  readonly controller: Controller;
  /** Monotonic ms of each run, by key. */
  readonly runs: Readonly<Record<string, readonly number[]>>;
  readonly counts: () => Readonly<Record<string, number>>;
  readonly stop: AbortController;
  /** Resolves when the controller's run has ended. */
  readonly ended: Promise<void>;
}

export type Reconcile = ControllerOptions['reconcile'];

/** A running controller of Orbs, with its own queue. */
export function started(reconcile: Reconcile, changes: Partial<ControllerOptions> = {}): StartedController {
  const clock = createFakeClock(0);
  const noted = recordMetrics();
  const log = recordLog();
  const runs: Record<string, number[]> = {};
  const queue = createWorkQueue({ name: 'orb', clock, metrics: noted.metrics });
  const controller = createController({
    name: 'orb',
    kind: 'Orb',
    queue,
    reconcile: (key, scope) => {
      (runs[key] ??= []).push(clock.monotonic());
      return reconcile(key, scope);
    },
    clock,
    random: () => 0.5,
    logger: log.logger,
    metrics: noted.metrics,
    ...changes,
  });
  const stop = new AbortController();
  const ended = controller.run(stop.signal);
  const counts = (): Readonly<Record<string, number>> =>
    Object.fromEntries(Object.entries(noted.counts()).filter(([name]) => name.includes(' orb')));
  return { clock, queue, log, controller, runs, counts, stop, ended };
}

/** A reconcile that ends only by its signal. */
export const untilAborted = (signal: AbortSignal): Promise<Outcome> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
