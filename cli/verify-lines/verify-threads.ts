import { threadOf } from '../../adapters/threads/start-thread.ts';
import type { BatchSettings, JudgeBatch } from './judge-batch.ts';
import type { LineBatch } from './line-batches.ts';
import type { ToThread } from './serve-batches.ts';
import { unjudgedBatch, type BatchVerdicts } from './verdicts.ts';

/** What a thread that was started tells. */
interface ThreadEvents {
  readonly onVerdicts: (verdicts: BatchVerdicts) => void;
  /** It takes no further message. May be called more than once. */
  readonly onEnd: (why: string) => void;
}

/** A thread that was started. */
export interface VerifyThread {
  readonly post: (message: ToThread) => void;
  readonly stop: () => Promise<unknown>;
}

export type StartThread = (events: ThreadEvents) => VerifyThread;

// Nearly everything that a verdict allocates is garbage when the verdict is there. Young memory that fills less often is
// collected less often.
const YOUNG_MB = 96;

const startWorker = threadOf<ToThread, BatchVerdicts>(new URL('./verify-thread.ts', import.meta.url), {
  name: 'verify',
  resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
});

/** Starts a worker thread; it takes 50 to 100 ms until it judges its first batch. */
export const startThread: StartThread = ({ onVerdicts, onEnd }) => {
  const thread = startWorker({
    onMessage: onVerdicts,
    onEnd: (cause) => onEnd(cause instanceof Error ? cause.message : 'it gave no reason'),
  });
  return {
    post: (message) => thread.post(message, message[0] === 'batch' ? [message[1].bytes.buffer] : []),
    stop: thread.terminate,
  };
};

interface Job {
  readonly batch: LineBatch;
  readonly resolve: (verdicts: BatchVerdicts) => void;
}

/** A thread that keeps ending may end for each batch: after so many no further thread is started. */
const MAX_LOST_THREADS = 8;

/**
 * Threads that judge batches, one batch at a time each; batches wait in a queue. When a thread ends, the lines of its
 * batch count as not verified, and another thread is started for the next batch.
 */
export class VerifyThreads {
  readonly #most: number;
  readonly #settings: BatchSettings;
  readonly #start: StartThread;
  readonly #queue: Job[] = [];
  readonly #idle: VerifyThread[] = [];
  readonly #busy = new Map<VerifyThread, Job>();
  #lost = 0;

  /** @param most threads that may run at the same time, at least 1 */
  constructor(most: number, settings: BatchSettings, start: StartThread = startThread) {
    this.#most = most;
    this.#settings = settings;
    this.#start = start;
  }

  /** The caller bounds how many batches wait. */
  readonly judge: JudgeBatch = (batch) =>
    new Promise((resolve) => {
      this.#queue.push({ batch, resolve });
      this.#next();
    });

  /** Ends the threads; what they work on is lost, and what waits is never answered. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    await Promise.all([...this.#idle, ...this.#busy.keys()].map((thread) => thread.stop()));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idle.pop() ?? this.#startOne();
      if (thread === undefined) break;
      const job = this.#queue.shift();
      if (job !== undefined) this.#give(thread, job);
    }
    if (this.#busy.size === 0) this.#giveUp();
  }

  #give(thread: VerifyThread, job: Job): void {
    this.#busy.set(thread, job);
    thread.post(['batch', job.batch]);
  }

  /** @returns undefined: enough threads run, or too many have ended */
  #startOne(): VerifyThread | undefined {
    if (this.#busy.size >= this.#most || this.#lost >= MAX_LOST_THREADS) return undefined;
    const thread = this.#start({
      onVerdicts: (verdicts) => this.#finished(thread, verdicts),
      onEnd: (why) => this.#ended(thread, why),
    });
    thread.post(['settings', this.#settings]);
    return thread;
  }

  #finished(thread: VerifyThread, verdicts: BatchVerdicts): void {
    const job = this.#busy.get(thread);
    if (job === undefined) return;
    this.#busy.delete(thread);
    this.#idle.push(thread);
    job.resolve(verdicts);
    this.#next();
  }

  #ended(thread: VerifyThread, why: string): void {
    const job = this.#busy.get(thread);
    const at = this.#idle.indexOf(thread);
    if (at !== -1) this.#idle.splice(at, 1);
    if (job === undefined && at === -1) return; // its end was told before
    this.#busy.delete(thread);
    this.#lost += 1;
    if (job !== undefined) this.#fail(job, `the thread that verified it ended: ${why}`);
    this.#next();
  }

  #fail({ batch, resolve }: Job, why: string): void {
    resolve(unjudgedBatch(batch, why, this.#settings.isJson));
  }

  #giveUp(): void {
    for (const job of this.#queue.splice(0)) this.#fail(job, `verification stopped: ${this.#lost} threads crashed`);
  }
}
