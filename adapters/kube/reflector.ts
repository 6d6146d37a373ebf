import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { withScope } from './abort-scope.ts';
import { listAll } from './list-all.ts';
import {
  KubeError,
  type Change,
  type Kind,
  type KubeClient,
  type KubeMetrics,
  type Reflector,
  type ReflectorState,
  type Selection,
} from './port.ts';
import { Recovery, type ListReason, type Step } from './recovery.ts';
import { resyncPeriodically } from './resync.ts';
import { createStore, type WritableStore } from './store.ts';
import type { IndexFunction } from './store-index.ts';
import type { Transform } from './store-transform.ts';
import type { WatchEvent } from './watch-decoder.ts';
import { watchOnce, type WatchEnd } from './watch-session.ts';

export interface ReflectorOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly kind: Kind;
  readonly selection: Selection;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  readonly transform?: Transform;
  readonly freeze?: boolean;
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Omit<KubeMetrics, 'request'>;
  /** Must only enqueue keys. */
  readonly onChange: (change: Change) => void;
  /** Life of one watch; default: 300–600 at random. */
  readonly timeoutSeconds?: () => number;
}

const RESTART_MS = 5000;
/** At most one watch a second. */
const WATCH_GAP_MS = 1000;

const restartReason = (end: WatchEnd): string => {
  if (end.kind === 'failed') return 'error';
  return end.kind === 'ended' && end.early ? 'early-end' : end.kind;
};

/** What an operator of the platform does about it: a list has no name, so 404 says that its kind is not there. */
const nextStep = ({ plural, group }: Kind, status: number): { readonly next?: string } =>
  status === 404
    ? {
        next: `The definition ${plural}.${group} is missing: apply the resource definitions of this version (docs/upgrade.md). This process then continues by itself.`,
      }
    : {};

class ListWatchReflector implements Reflector {
  readonly store: WritableStore;
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions;
  readonly #recovery: Recovery;
  readonly #timeoutSeconds: () => number;
  readonly #setSynced: () => void;
  #running: Promise<void> | undefined;
  #hasSynced = false;
  #state: ReflectorState = 'idle';
  #failure: KubeError | undefined;
  #lastContact: number;
  /** Version from which the next watch begins: the last event or bookmark, in the order of arrival. */
  #resume = '';
  #lastWatch = -Infinity;
  /** Ends the current wait. */
  #wake: (() => void) | undefined;
  /** The nudge came before the wait. */
  #nudged = false;

  constructor(options: ReflectorOptions) {
    const { clock, random, kind } = options;
    this.#options = options;
    this.store = createStore(options);
    this.#recovery = new Recovery({ kind, random, monotonic: clock.monotonic });
    this.#timeoutSeconds = options.timeoutSeconds ?? ((): number => 300 + Math.floor(random() * 301));
    this.#lastContact = clock.monotonic();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#setSynced = resolve;
  }

  readonly hasSynced: Reflector['hasSynced'] = () => this.#hasSynced;

  readonly state: Reflector['state'] = () => this.#state;

  readonly failure: Reflector['failure'] = () => this.#failure;

  readonly lastContactMs: Reflector['lastContactMs'] = () => this.#lastContact;

  readonly nudge: Reflector['nudge'] = () => {
    if (this.#wake === undefined) this.#nudged = true;
    else this.#wake();
  };

  readonly run: Reflector['run'] = (signal) => (this.#running ??= this.#runUntil(signal));

  async #runUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await withScope(signal, (scope) => this.#live(scope.signal));
      } catch (error) {
        // Any other error than a KubeError is a bug of ours or of a handler; the reflector survives it.
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
    this.#state = 'stopped';
  }

  /** Ends with whichever ends first; each of them ends only with an error. */
  #live(signal: AbortSignal): Promise<never> {
    const resync = (): void => {
      if (this.#hasSynced) this.store.resync();
    };
    return Promise.race([this.#loop(signal), resyncPeriodically(this.#options.clock, resync, signal)]);
  }

  async #recover(cause: unknown, signal: AbortSignal): Promise<void> {
    const { kind, logger } = this.#options;
    logger.error('a reflector failed and starts again', { kind: kind.kind, error: cause });
    await this.#nap(RESTART_MS, signal).catch(() => undefined);
  }

  async #loop(signal: AbortSignal): Promise<never> {
    let step: Step = { kind: 'list', waitMs: 0, reason: this.#hasSynced ? 'retry' : 'start' };
    for (;;) {
      await this.#nap(step.waitMs, signal);
      step = step.kind === 'list' ? await this.#list(step.reason, signal) : await this.#watch(signal);
    }
  }

  async #list(reason: ListReason, signal: AbortSignal): Promise<Step> {
    const { kind, metrics } = this.#options;
    this.#state = 'listing';
    metrics.listed(kind.kind, reason);
    const floor = this.store.highest();
    try {
      const { objects, resourceVersion } = await listAll(this.#options, signal);
      if (this.store.replace({ objects, resourceVersion, floor }, !this.#hasSynced) === 'rewound') this.#reportRewind();
      this.#resume = resourceVersion;
      this.#recovery.listed();
      this.#answered();
      this.#markSynced();
      return { kind: 'watch', waitMs: 0 };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof KubeError)) throw error;
      return this.#failed(error, this.#recovery.afterFailedList(error));
    }
  }

  async #watch(signal: AbortSignal): Promise<Step> {
    const { client, kind, selection, clock, metrics } = this.#options;
    await this.#nap(this.#lastWatch + WATCH_GAP_MS - clock.monotonic(), signal);
    this.#state = 'watching';
    const started = clock.monotonic();
    this.#lastWatch = started;
    const end = await watchOnce(
      {
        client,
        kind,
        selection,
        resourceVersion: this.#resume,
        timeoutSeconds: this.#timeoutSeconds(),
        clock,
        onOpen: () => this.#opened(),
        onEvent: (event) => this.#take(event),
      },
      signal,
    );
    metrics.watchRestarted(kind.kind, restartReason(end));
    if (end.kind === 'stalled') metrics.watchStalled(kind.kind);
    const step = this.#recovery.afterWatch(end, clock.monotonic() - started);
    return end.kind === 'failed' ? this.#failed(end.error, step) : step;
  }

  #take(event: Exclude<WatchEvent, { kind: 'error' }>): void {
    this.#lastContact = this.#options.clock.monotonic();
    if (event.kind === 'changed') this.store.put(event.object);
    if (event.kind === 'deleted') this.store.remove(event.object);
    if (event.resourceVersion !== undefined) {
      this.#resume = event.resourceVersion;
      this.store.advance(event.resourceVersion);
    }
    if (event.kind !== 'bookmark') this.#countCache();
  }

  #opened(): void {
    this.#failure = undefined;
    this.#nudged = false;
  }

  #answered(): void {
    this.#lastContact = this.#options.clock.monotonic();
    this.#opened();
    this.#countCache();
  }

  #markSynced(): void {
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#countCache();
    this.#setSynced();
  }

  #countCache(): void {
    const { kind, metrics } = this.#options;
    metrics.cache(kind.kind, this.store.size(), this.#hasSynced);
  }

  #reportRewind(): void {
    const { kind, metrics, logger } = this.#options;
    metrics.historyRewound(kind.kind);
    logger.warn('the history of the API server was rewound: its store was replaced', { kind: kind.kind });
  }

  /** Logs one line when a failure begins or changes its kind: it may last for days. */
  #failed(error: KubeError, step: Step): Step {
    const { kind, selection, logger } = this.#options;
    const { status, reason } = error;
    const isNew = this.#failure?.status !== status || this.#failure.reason !== reason;
    this.#failure = error;
    const waitMs = Math.round(step.waitMs);
    const fields = { kind: kind.kind, ...selection, status, reason, wait_ms: waitMs, ...nextStep(kind, status), error };
    if (isNew) logger.warn('objects can not be listed or watched', fields);
    else logger.debug('objects still can not be listed or watched', fields);
    return step;
  }

  async #nap(ms: number, signal: AbortSignal): Promise<void> {
    const nudged = this.#nudged;
    this.#nudged = false;
    if (ms <= 0 || nudged) return;
    this.#state = 'backoff';
    await withScope(signal, async (scope) => {
      this.#wake = (): void => scope.abort();
      await this.#options.clock.sleep(ms, scope.signal).catch(() => undefined);
    }).finally(() => (this.#wake = undefined));
    signal.throwIfAborted();
  }
}

/** Keeps a store equal to the server's objects of one selection (operator.md A3). Does nothing before `run`. */
export const createReflector = (options: ReflectorOptions): Reflector => new ListWatchReflector(options);
