import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { SCOPE_ENDED, withScope } from './abort-scope.ts';
import { NotLeading } from '../../core/errors/not-leading.ts';
import type { OwnWrites } from './own-writes.ts';
import { KubeError, type WorkQueue } from './port.ts';
import { isTimeout, within } from './within.ts';

/** As controller-runtime's label values. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** Counts of one controller. */
interface ControllerSeries {
  /** Workers are running; the age of the last success counts from here. */
  readonly running: (workers: number) => void;
  readonly stopped: () => void;
  readonly began: () => void;
  /** @param result undefined: the run was ended from outside and is not counted */
  readonly ended: (result: ReconcileResult | undefined, seconds: number) => void;
  readonly terminal: () => void;
  readonly panic: () => void;
  readonly timeout: () => void;
}

export interface ControllerMetrics {
  readonly controller: (about: { readonly name: string; readonly kind: string }) => ControllerSeries;
}

/** What a reconcile is given beside its key. */
export interface ReconcileScope {
  /** Ends after 60 s, or when leadership is lost. */
  readonly signal: AbortSignal;
  /** Writes controller, key and reconcile id on every line. */
  readonly log: Logger;
}

/** A key failed at least three times in a row: worth a condition (operator.md A7). */
export interface RepeatedFailure extends ReconcileScope {
  readonly error: unknown;
  readonly failures: number;
}

export interface ControllerOptions {
  readonly name: string;
  /** Kind of the objects that the keys stand for; a label of metrics. */
  readonly kind: string;
  readonly queue: WorkQueue;
  readonly reconcile: (key: string, scope: ReconcileScope) => Promise<Outcome>;
  /** Every existing key. When `run` begins, these keys replace the queued ones, in the low lane. */
  readonly keys?: () => Iterable<string>;
  /** Own writes of each store that the reconcile writes to. */
  readonly writes?: readonly Pick<OwnWrites, 'settle' | 'doubt'>[];
  readonly workers?: number;
  readonly clock: Clock;
  /** 0 ≤ n < 1. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  /** May write a status; what it throws is logged. */
  readonly onRepeatedFailure?: (key: string, failure: RepeatedFailure) => Promise<void>;
}

export interface Controller {
  readonly name: string;
  /**
   * Works until the signal is aborted; runs in flight are aborted with it. Drops the queue at the end: the next leader
   * starts from all keys. Never rejects. May be called again when it has ended.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Stops taking keys permanently. Resolves when runs in flight have ended, or after `ms`. */
  readonly drain: (ms: number) => Promise<void>;
}

const WORKERS = 8;
const RUN_MS = 60_000;
/** A run that ignores its signal keeps its key. After this time its worker takes another key. */
const IGNORES_MS = 5000;
/** Replaces `IGNORES_MS` when the whole process ends. */
const STOP_MS = 1000;
const CONFLICT_MS = 100;
/** From this number of conflicts on a key backs off: its cache does not catch up. */
const MANY_CONFLICTS = 3;
/** In this time either the election ends the scope, or a late renewal succeeds and this process keeps leading. */
const NOT_LEADING_MS = 1000;
const REPORTED_FROM = 3;
/** Prometheus counts in seconds. */
const MS = 1000;

/**
 * Another writer was faster. A field that another manager owns does not count as such a conflict: it must be reported.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && !error.causes.includes('FieldManagerConflict');

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** An unexpected exception: a bug. */
const isPanic = (error: unknown): boolean =>
  error instanceof Error ? BUGS.some((bug) => error instanceof bug) : !isTimeout(error);

class Workers implements Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #series: ControllerSeries;
  /** Conflicts in a row. */
  readonly #conflicts = new Map<string, number>();

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#series = options.metrics.controller({ name: options.name, kind: options.kind });
  }

  readonly run: Controller['run'] = async (signal) => {
    const { queue, keys, workers = WORKERS } = this.#options;
    this.#series.running(workers);
    // Keys that a follower's caches enqueued have waited for hours. Without this the metrics would show that wait.
    if (keys !== undefined) queue.clear();
    for (const key of keys?.() ?? []) queue.add(key, { lane: 'low' });
    await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
    queue.clear();
    this.#conflicts.clear();
    this.#series.stopped();
  };

  readonly drain: Controller['drain'] = (ms) => this.#options.queue.shutDown({ drainMs: ms });

  async #work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#options.queue.get(signal);
      if (key === undefined) return;
      await this.#untilDoneOrIgnored(key, signal);
    }
  }

  /**
   * A reconcile that ignores its signal must block a worker for a while, not for ever. Its key stays in work until it
   * ends.
   */
  async #untilDoneOrIgnored(key: string, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const run = this.#runOnce(key, signal).then(() => ended.abort(SCOPE_ENDED));
    await Promise.race([run, this.#ignored(key, ended.signal, signal)]);
  }

  async #ignored(key: string, ended: AbortSignal, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const waiting = withScope(signal, async (scope) => {
      ended.addEventListener('abort', () => scope.abort(SCOPE_ENDED), { once: true });
      await clock.sleep(RUN_MS + IGNORES_MS, scope.signal, { ref: false });
    });
    await waiting.catch(() => undefined);
    if (signal.aborted) await clock.sleep(STOP_MS, ended, { ref: false }).catch(() => undefined);
    if (!ended.aborted) {
      logger.error('a reconcile ignores its signal: its key waits until it ends', { controller: this.name, key });
    }
  }

  /** Never rejects: no exception leaves a reconciler (security.md S29). */
  async #runOnce(key: string, signal: AbortSignal): Promise<void> {
    const { queue, clock, logger, random } = this.#options;
    const reconcileId = Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    const log = logger.child({ controller: this.name, key, reconcile_id: reconcileId });
    const began = clock.monotonic();
    this.#series.began();
    const result = await this.#resultOf(key, { signal, log });
    this.#series.ended(result, (clock.monotonic() - began) / MS);
    queue.done(key);
  }

  async #resultOf(key: string, scope: ReconcileScope): Promise<ReconcileResult | undefined> {
    const { clock, reconcile, writes = [] } = this.#options;
    try {
      const outcome = await within({ clock, ms: RUN_MS, what: 'the reconcile' }, scope.signal, async (signal) => {
        for (const each of writes) await each.settle(key, signal);
        return reconcile(key, { ...scope, signal });
      });
      return this.#settled(key, outcome);
    } catch (error) {
      return this.#failed(key, error, scope);
    }
  }

  #settled(key: string, outcome: Outcome): ReconcileResult {
    const { queue } = this.#options;
    queue.forget(key);
    this.#conflicts.delete(key);
    switch (outcome.kind) {
      case 'done':
        return 'success';
      case 'requeue-after':
      case 'waiting':
        queue.add(key, { afterMs: outcome.ms });
        return 'requeue_after';
      case 'stalled':
        this.#series.terminal();
        if (outcome.ms !== undefined) queue.add(key, { afterMs: outcome.ms });
        return 'success'; // the run did its work; the spec is at fault
      default:
        return outcome satisfies never;
    }
  }

  async #failed(key: string, error: unknown, scope: ReconcileScope): Promise<ReconcileResult | undefined> {
    const { queue } = this.#options;
    if (scope.signal.aborted) return undefined; // the queue is dropped, or the process ends
    if (error instanceof NotLeading || isConflict(error)) {
      if (error instanceof NotLeading) queue.add(key, { afterMs: NOT_LEADING_MS });
      else this.#conflicted(key);
      scope.log.debug('a reconcile runs again soon', { error });
      return 'requeue';
    }
    if (isTimeout(error)) this.#series.timeout();
    if (isPanic(error)) this.#series.panic();
    queue.addRateLimited(key);
    const failures = queue.failures(key);
    scope.log.warn('a reconcile failed', { error, failures });
    if (failures >= REPORTED_FROM) await this.#report(key, { ...scope, error, failures });
    return 'error';
  }

  /** The cache is late, perhaps for a long time: the next run starts from the live object. */
  #conflicted(key: string): void {
    const { queue, random, writes = [] } = this.#options;
    for (const each of writes) each.doubt(key);
    const times = (this.#conflicts.get(key) ?? 0) + 1;
    this.#conflicts.set(key, times);
    if (times < MANY_CONFLICTS) queue.add(key, { afterMs: random() * CONFLICT_MS });
    else queue.addRateLimited(key);
  }

  async #report(key: string, failure: RepeatedFailure): Promise<void> {
    const { clock, onRepeatedFailure } = this.#options;
    try {
      await within({ clock, ms: RUN_MS, what: 'the report of a failure' }, failure.signal, async (signal) =>
        onRepeatedFailure?.(key, { ...failure, signal }),
      );
    } catch (error) {
      if (!failure.signal.aborted) failure.log.warn('a repeated failure could not be reported', { error });
    }
  }
}

/**
 * Workers over a queue (operator.md A7). Each key is reconciled for at most 60 s; the outcome decides when it runs
 * again. Each run is counted in the metrics and has an id of its own in the log.
 */
export const createController = (options: ControllerOptions): Controller => new Workers(options);
