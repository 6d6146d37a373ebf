import { errorCode } from '../../core/errors/error-code.ts';
import type { CaseWork, CaseWorkAnswer } from '../../core/suite/case-work.ts';
import { limitCpu } from '../threads/cpu-limit.ts';
import { threadOf, type StartMeasuredThread } from '../threads/start-thread.ts';
import type { FromCaseThread } from './serve-cases.ts';
import { TenantTurns } from './tenant-turns.ts';

/** Of the processor (trust.md §8.3). */
const WORK_MS = 2000;
/** Starting takes about 0.2 s; on a busy machine it may take longer, and the work does not pay for it. */
const START_MS = 10_000;
const MEMORY_MB = 64;
const YOUNG_MB = 16;

const startCaseThread: StartMeasuredThread<CaseWork, FromCaseThread> = threadOf(
  new URL('./case-thread.ts', import.meta.url),
  {
    name: 'cases',
    resourceLimits: {
      maxOldGenerationSizeMb: MEMORY_MB - YOUNG_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
      stackSizeMb: 4,
    },
  },
);

interface CaseRunnerOptions {
  /** Threads at the same time, at least 1; other work waits for its tenant's turn. */
  readonly most: number;
  /** Processor time of one piece of work, ms; default 2000. */
  readonly workMs?: number;
  readonly start?: StartMeasuredThread<CaseWork, FromCaseThread>;
}

const STOPPING: CaseWorkAnswer = { kind: 'unavailable', why: 'the service is stopping' };
const STARVED: CaseWorkAnswer = { kind: 'unavailable', why: 'their thread had too little of the processor' };
const NOT_STARTED: CaseWorkAnswer = { kind: 'unavailable', why: 'their thread did not start' };

interface Job {
  readonly work: CaseWork;
  readonly resolve: (answer: CaseWorkAnswer) => void;
}

const whyEnded = (cause: unknown): string => {
  if (errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY') return `they need more than ${MEMORY_MB} MiB of memory`;
  return 'they stopped with an error';
};

/**
 * Runs the cases of strangers' suites: each piece of work in a thread of its own, with 2 s of the processor and 64 MiB
 * (trust.md §8.3). A thread that uses more is killed, and so is one that has had no answer after 10 s. The caller's event
 * loop stays free. Nothing leaves the thread but its answer. Tenants whose work waits take turns, one piece each, so many
 * slow suites of one delay another by one of them. The caller bounds how much work waits.
 */
export class CaseRunner {
  readonly #most: number;
  readonly #workMs: number;
  readonly #start: StartMeasuredThread<CaseWork, FromCaseThread>;
  readonly #waiting = new TenantTurns<Job>();
  readonly #kill = new Set<() => void>();
  #closed = false;

  constructor({ most, workMs = WORK_MS, start = startCaseThread }: CaseRunnerOptions) {
    this.#most = most;
    this.#workMs = workMs;
    this.#start = start;
  }

  /**
   * Runs the cases. It never rejects: `stopped` and `unavailable` say why there are no results.
   * @param tenant whose work it is: that of one tenant runs in order
   */
  readonly run = (work: CaseWork, tenant: string): Promise<CaseWorkAnswer> =>
    new Promise((resolve) => {
      if (this.#closed) return resolve(STOPPING);
      this.#waiting.add(tenant, { work, resolve });
      this.#next();
    });

  /** Ends every thread; what they work on and what waits is answered `unavailable`. */
  close(): void {
    this.#closed = true;
    for (let job = this.#waiting.next(); job !== undefined; job = this.#waiting.next()) job.resolve(STOPPING);
    for (const kill of this.#kill) kill();
  }

  #next(): void {
    if (this.#kill.size >= this.#most) return;
    const job = this.#waiting.next();
    if (job !== undefined) this.#begin(job);
  }

  #begin({ work, resolve }: Job): void {
    const end = (answer: CaseWorkAnswer): void => {
      if (!this.#kill.delete(kill)) return;
      endWait();
      void thread.terminate();
      resolve(answer);
      this.#next();
    };
    const stop = (why: string): void => end({ kind: 'stopped', why });
    const tooLong = `they take more than ${this.#workMs} ms of the processor`;
    const kill = (): void => end(STOPPING);
    const timer = setTimeout(() => end(NOT_STARTED), START_MS);
    let endWait = (): void => clearTimeout(timer);
    this.#kill.add(kill);
    const thread = this.#start({
      onMessage: (message) => {
        if (message[0] === 'done') return end({ kind: 'done', result: message[1] });
        // It may have become ready while it was ended.
        if (!this.#kill.has(kill)) return undefined;
        endWait();
        endWait = limitCpu(thread, this.#workMs, (usedUp) => (usedUp === 'clock' ? end(STARVED) : stop(tooLong)));
        return thread.post(work);
      },
      onEnd: (cause) => stop(whyEnded(cause)),
    });
  }
}
