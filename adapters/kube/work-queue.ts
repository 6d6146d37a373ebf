import type { Clock } from '../time/clock.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { Lane, WorkQueue } from './port.ts';
import { higherLane, ReadyKeys, type ReadyLane } from './ready-keys.ts';
import { TokenBucket } from '../../core/rate-limit/token-bucket.ts';

/** Samples of a queue for a scrape. */
export interface QueueLoad {
  /** Keys that may run, by lane. */
  readonly depths: Readonly<Record<ReadyLane, number>>;
  /** Longest wait in seconds of the keys that may run; 0 when no key waits. */
  readonly oldestPendingSeconds: number;
  /** Sum of the seconds that the keys in work have been running. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
}

/** Counts of one queue. */
interface QueueSeries {
  readonly added: () => void;
  readonly retried: () => void;
  /** A worker takes a key. @param seconds since the key was added */
  readonly started: (seconds: number) => void;
  readonly ended: (seconds: number) => void;
}

export interface QueueMetrics {
  readonly queue: (name: string, load: () => QueueLoad) => QueueSeries;
}

interface WorkQueueOptions {
  /** Name of its controller. */
  readonly name: string;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly metrics: QueueMetrics;
}

interface InWork {
  readonly startedAt: number;
  readonly poison: boolean;
}

interface Again {
  readonly lane: Lane;
  readonly addedAt: number;
}

const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 1_000_000;
/** Retries of all keys together: 10/s, burst 100. */
const RETRY_EVERY_MS = 100;
const RETRY_BURST = 100;
/** After this number of failures in a row, a key runs in the poison lane, which has one worker. */
const POISON = 10;
/** Prometheus counts in seconds. */
const MS = 1000;

class KeyQueue implements WorkQueue {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #series: QueueSeries;
  readonly #ready = new ReadyKeys();
  readonly #delayed: DelayedKeys;
  readonly #inWork = new Map<string, InWork>();
  /** Keys in work that were added again: each runs once more. */
  readonly #again = new Map<string, Again>();
  readonly #failures = new Map<string, number>();
  readonly #retries: TokenBucket;
  readonly #workers = new Set<(key: string | undefined) => void>();
  readonly #drained = new Set<() => void>();
  #poisonInWork = false;
  #closed = false;

  constructor({ name, clock, metrics }: WorkQueueOptions) {
    this.#clock = clock;
    this.#retries = new TokenBucket({ burst: RETRY_BURST, everyMs: RETRY_EVERY_MS, now: clock.monotonic() });
    this.#delayed = new DelayedKeys(clock, (key, lane) => this.#admit(key, lane));
    this.#series = metrics.queue(name, () => this.#load());
  }

  readonly add: WorkQueue['add'] = (key, { lane = 'normal', afterMs = 0 } = {}) => {
    if (this.#closed) return;
    const cameFrom = this.#delayed.laneOf(key);
    if (!(afterMs > 0)) return this.#admit(key, lane);
    // The earliest time wins: a key that may run now, or runs again at once, needs no later time.
    if (this.#ready.has(key) || this.#again.has(key)) return undefined;
    return this.#delayed.add(key, higherLane(lane, cameFrom), this.#clock.monotonic() + afterMs);
  };

  readonly addRateLimited: WorkQueue['addRateLimited'] = (key) => {
    if (this.#closed) return;
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    this.#series.retried();
    const backOff = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    this.add(key, { afterMs: Math.max(backOff, this.#retries.reserve(this.#clock.monotonic())) });
  };

  readonly forget: WorkQueue['forget'] = (key) => void this.#failures.delete(key);

  readonly get: WorkQueue['get'] = (signal) =>
    new Promise((resolve) => {
      if (this.#closed || signal.aborted) return resolve(undefined);
      const take = (key: string | undefined): void => {
        this.#workers.delete(take);
        signal.removeEventListener('abort', leave);
        resolve(key);
      };
      const leave = (): void => take(undefined);
      signal.addEventListener('abort', leave, { once: true });
      this.#workers.add(take);
      return this.#hand();
    });

  readonly done: WorkQueue['done'] = (key) => {
    const run = this.#inWork.get(key);
    if (run === undefined) return;
    this.#inWork.delete(key);
    if (run.poison) this.#poisonInWork = false;
    this.#series.ended((this.#clock.monotonic() - run.startedAt) / MS);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.#enqueue(key, again.lane, again.addedAt);
    if (this.#inWork.size === 0) for (const resolve of this.#drained) resolve();
    this.#hand();
  };

  readonly clear: WorkQueue['clear'] = () => {
    this.#ready.clear();
    this.#delayed.clear();
    this.#again.clear();
    this.#failures.clear();
  };

  readonly shutDown: WorkQueue['shutDown'] = async ({ drainMs }) => {
    this.#closed = true;
    this.clear();
    for (const take of this.#workers) take(undefined);
    if (this.#inWork.size === 0) return;
    const over = new AbortController();
    const drained = new Promise<void>((resolve) => this.#drained.add(resolve));
    await Promise.race([drained, this.#clock.sleep(drainMs, over.signal).catch(() => undefined)]);
    over.abort();
  };

  readonly length: WorkQueue['length'] = () => this.#ready.size;

  readonly failures: WorkQueue['failures'] = (key) => this.#failures.get(key) ?? 0;

  /** Lets a key run now, or again after its current run. */
  #admit(key: string, wanted: Lane): void {
    const lane = higherLane(wanted, this.#delayed.cancel(key));
    const now = this.#clock.monotonic();
    if (!this.#inWork.has(key)) {
      if (this.#enqueue(key, lane, now)) this.#series.added();
      return this.#hand();
    }
    const known = this.#again.get(key);
    if (known === undefined) this.#series.added();
    this.#again.set(key, { lane: higherLane(lane, known?.lane), addedAt: known?.addedAt ?? now });
  }

  #enqueue(key: string, lane: Lane, addedAt: number): boolean {
    const where = this.failures(key) >= POISON ? 'poison' : lane;
    return this.#ready.add(key, where, { now: this.#clock.monotonic(), addedAt });
  }

  /** Gives keys to workers, as long as there are both. */
  #hand(): void {
    for (const take of this.#workers) {
      const now = this.#clock.monotonic();
      const next = this.#ready.take(now, !this.#poisonInWork);
      if (next === undefined) return;
      const poison = next.lane === 'poison';
      if (poison) this.#poisonInWork = true;
      this.#inWork.set(next.key, { startedAt: now, poison });
      this.#series.started((now - next.addedAt) / MS);
      take(next.key);
    }
  }

  #load(): QueueLoad {
    const now = this.#clock.monotonic();
    const running = [...this.#inWork.values()].map(({ startedAt }) => (now - startedAt) / MS);
    return {
      depths: this.#ready.depths,
      oldestPendingSeconds: (now - (this.#ready.oldest() ?? now)) / MS,
      unfinishedSeconds: running.reduce((sum, seconds) => sum + seconds, 0),
      longestRunningSeconds: Math.max(0, ...running),
    };
  }
}

/**
 * Keys to work on (operator.md A6; the contract is in port.ts). Its timer does not keep the process alive.
 * @param options `name` is the name of its controller; `metrics` count the queue
 */
export const createWorkQueue = (options: WorkQueueOptions): WorkQueue => new KeyQueue(options);
