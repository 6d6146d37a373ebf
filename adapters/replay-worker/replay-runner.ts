import { availableParallelism } from 'node:os';
import { errorCode } from '../../core/errors/error-code.ts';
import { SharedCount } from '../threads/shared-count.ts';
import { threadOf, type StartThread, type Thread } from '../threads/start-thread.ts';
import { ReplayError, type ReplayJob, type ReplayProgress } from './port.ts';
import type { FromReplayThread, ToReplayThread } from './serve-replay.ts';

type StartReplayThread = StartThread<ToReplayThread, FromReplayThread>;

const MEMORY_MB = 256;
const YOUNG_MB = 32;

const startReplayThread: StartReplayThread = threadOf(new URL('./replay-thread.ts', import.meta.url), {
  name: 'replay',
  resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB - YOUNG_MB, maxYoungGenerationSizeMb: YOUNG_MB },
});

export interface ReplayRunnerOptions {
  /** Path of the ledger's file. */
  readonly file: string;
  /** Threads at a time; default: half of the cores, at least one. Other replays wait. */
  readonly most?: number;
  /** Time for one chunk of receipts, ms; default 5 s. */
  readonly chunkMs?: number;
  /** Runs that began in this process: while it grows, replays rest most of the time. Default: it never grows. */
  readonly runs?: SharedCount;
  /** Called before a thread is started. It must not reject. */
  readonly makeRoom?: () => Promise<void>;
  readonly start?: StartReplayThread;
}

/** A chunk takes no further receipts after a second (policy.md §6): one that takes so long hangs. */
const CHUNK_MS = 5000;
/** Starting a thread and compiling the policies: some 0.5 s; on a busy machine it may take longer. */
const BEGIN_MS = 30_000;

const failedBy = (cause: unknown): ReplayError =>
  errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ReplayError('worker_out_of_memory', `the replay needs more than ${MEMORY_MB} MiB of memory`, { cause })
    : new ReplayError('worker_failed', 'the thread of the replay ended', { cause });

/** A thread that works on one replay. */
class ReplayThread {
  readonly #thread: Thread<ToReplayThread>;
  #answered: PromiseWithResolvers<FromReplayThread> | undefined;
  #ended: ReplayError | undefined;

  constructor(start: StartReplayThread) {
    this.#thread = start({
      onMessage: (answer) => this.#answered?.resolve(answer),
      onEnd: (cause) => this.end(failedBy(cause)),
    });
  }

  /** What waits for an answer rejects. */
  end(error: ReplayError): void {
    this.#ended ??= error;
    this.#answered?.reject(this.#ended);
  }

  /** @throws ReplayError */
  async ask(message: ToReplayThread, ms: number): Promise<FromReplayThread> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#answered = Promise.withResolvers();
    const late = setTimeout(
      () => this.end(new ReplayError('worker_timeout', `a chunk of receipts took longer than ${ms} ms`)),
      ms,
    );
    try {
      this.#thread.post(message);
      return await this.#answered.promise;
    } finally {
      clearTimeout(late);
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
    await this.#thread.ended;
  }
}

/** @throws ReplayError */
function progressIn(answer: FromReplayThread): ReplayProgress | undefined {
  switch (answer[0]) {
    case 'ready':
      return undefined;
    case 'progress':
      return answer[1];
    case 'failed':
      throw new ReplayError('ledger_unavailable', answer[1]);
    case 'broken': {
      const cause = new Error(answer[1]);
      cause.stack = answer[2];
      throw new ReplayError('worker_failed', `the thread of the replay failed: ${answer[1]}`, { cause });
    }
    default:
      return answer satisfies never;
  }
}

/**
 * Replays policies in threads, each with a read connection of its own, 256 MiB of heap and 5 s for a chunk of receipts. A
 * thread that outgrows them is ended, and its replay fails.
 */
export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
    this.#most = options.most ?? Math.max(1, Math.floor(availableParallelism() / 2));
  }

  /**
   * Replays one job.
   * @param onProgress called after each chunk; the next begins when it resolves
   * @param signal ends the replay at once
   * @throws ReplayError @throws the reason of the signal
   */
  async run(
    job: ReplayJob,
    onProgress: (progress: ReplayProgress) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.#turn(signal);
    try {
      await this.#replay(job, onProgress, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }

  /** Waits for a thread; the replay that ends hands its own over. */
  #turn(signal: AbortSignal): Promise<void> {
    if (this.#busy < this.#most) {
      this.#busy += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      this.#waiting.push(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  async #replay(
    job: ReplayJob,
    onProgress: (progress: ReplayProgress) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { file, chunkMs = CHUNK_MS, start = startReplayThread, makeRoom, runs = new SharedCount() } = this.#options;
    await makeRoom?.();
    signal.throwIfAborted();
    const thread = new ReplayThread(start);
    const abort = (): void => thread.end(new ReplayError('worker_failed', 'the replay was ended'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      progressIn(await thread.ask(['begin', file, job, runs.memory], BEGIN_MS));
      for (let isDone = false; !isDone;) {
        signal.throwIfAborted();
        const progress = progressIn(await thread.ask(['step'], chunkMs));
        if (progress === undefined) throw new ReplayError('worker_failed', 'the thread gave another answer');
        await onProgress(progress);
        ({ isDone } = progress);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      await thread.close();
    }
  }
}
