import { errorCode } from '../../core/errors/error-code.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import { ownMemory, type AnswerWork } from '../../core/run/written-answer.ts';
import { TenantTurns } from '../suite-worker/tenant-turns.ts';
import type { Logger } from '../telemetry/port.ts';
import { threadOf, type StartThread, type Thread } from '../threads/start-thread.ts';
import type { AnswerOwner, AnswerReader, AnswerResult } from './port.ts';
import type { FromAnswerThread, ToAnswerThread } from './serve-answers.ts';

type StartAnswerThread = StartThread<ToAnswerThread, FromAnswerThread>;

// The worst answer of 4 MiB, an object of half a million members, takes some 150 MB.
const startAnswerThread: StartAnswerThread = threadOf(new URL('./answer-thread.ts', import.meta.url), {
  name: 'answers',
  resourceLimits: { maxOldGenerationSizeMb: 224, maxYoungGenerationSizeMb: 16 },
});

export interface AnswerRunnerOptions {
  /** Limit of one answer, ms; default 5 s. */
  readonly workMs?: number;
  /** Time without work after which the thread ends, ms; default 30 s. */
  readonly idleMs?: number;
  /** Told when the thread ends by a fault of our own, or can't be started. */
  readonly logger?: Pick<Logger, 'error'>;
  readonly start?: StartAnswerThread;
}

const WORK_MS = 5000;
/** Starting takes about 0.2 s; on a busy machine it may take longer, and the answer does not pay for it. */
const START_MS = 10_000;
const IDLE_MS = 30_000;
/** Answers that wait, at up to 4 MiB each. A tenant with fewer of them than another one gets a place of that one. */
const MAX_WAITING = 64;

interface Job {
  readonly message: ToAnswerThread;
  readonly resolve: (result: AnswerResult) => void;
  /** Its run is over: it is not read. */
  isGone: boolean;
}

/** Only its memory ends a thread because of an answer. Any other fault is our own. */
const isOutOfMemory = (cause: unknown): boolean => errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY';

/** Reads large answers in one thread. Tenants take turns; the thread ends after some time without work. */
export class AnswerRunner implements AnswerReader {
  readonly #options: Required<Omit<AnswerRunnerOptions, 'logger'>>;
  readonly #logger: AnswerRunnerOptions['logger'];
  readonly #vaults = new WeakMap<Redactor, number>();
  readonly #waiting = new TenantTurns<Job>();
  #lastVault = 0;
  #count = 0;
  #thread: Thread<ToAnswerThread> | undefined;
  #isReady = false;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ workMs = WORK_MS, idleMs = IDLE_MS, start = startAnswerThread, logger }: AnswerRunnerOptions = {}) {
    this.#options = { workMs, idleMs, start };
    this.#logger = logger;
  }

  readonly read = (work: AnswerWork, owner: AnswerOwner, signal: AbortSignal): Promise<AnswerResult> => {
    signal.throwIfAborted();
    if (this.#isClosed || !this.#hasRoomFor(owner.tenant)) return Promise.resolve({ kind: 'unavailable' });
    return new Promise((resolve, reject) => {
      const end = (result: AnswerResult): void => {
        signal.removeEventListener('abort', leave);
        resolve(result);
      };
      const message: ToAnswerThread = [work, this.#vaultOf(owner.redactor), owner.secrets];
      const job: Job = { message, resolve: end, isGone: false };
      const leave = (): void => {
        job.isGone = true;
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#count += 1;
      this.#waiting.add(owner.tenant, job);
      this.#next();
    });
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#end({ kind: 'unavailable' });
    for (let job = this.#waiting.next(); job !== undefined; job = this.#waiting.next())
      job.resolve({ kind: 'unavailable' });
  };

  /** Otherwise one tenant with slow answers could keep those of all others out. */
  #hasRoomFor(tenant: string): boolean {
    if (this.#count < MAX_WAITING) return true;
    const displaced = this.#waiting.displace(tenant);
    if (displaced === undefined) return false;
    this.#count -= 1;
    displaced.resolve({ kind: 'unavailable' });
    return true;
  }

  #vaultOf(redactor: Redactor): number {
    const known = this.#vaults.get(redactor);
    if (known !== undefined) return known;
    this.#lastVault += 1;
    this.#vaults.set(redactor, this.#lastVault);
    return this.#lastVault;
  }

  #take(): Job | undefined {
    for (let job = this.#waiting.next(); job !== undefined; job = this.#waiting.next()) {
      if (!job.isGone) return job;
      this.#count -= 1;
    }
    return undefined;
  }

  #next(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    this.#current = this.#take();
    clearTimeout(this.#timer);
    if (this.#current === undefined) {
      this.#timer = setTimeout(() => this.#end({ kind: 'unavailable' }), this.#options.idleMs).unref();
    } else if (this.#thread === undefined) this.#begin();
    else if (this.#isReady) this.#post(this.#thread, this.#current);
  }

  #begin(): void {
    this.#isReady = false;
    this.#timer = setTimeout(() => this.#end({ kind: 'unavailable' }), START_MS);
    const thread = this.#options.start({
      onMessage: (message) => {
        if (this.#thread !== thread) return;
        if (message[0] === 'ready') this.#ready(thread);
        else this.#settle({ kind: 'written', answer: message[1] });
      },
      onEnd: (cause) => {
        if (this.#thread !== thread) return;
        if (this.#isReady && isOutOfMemory(cause)) this.#end({ kind: 'too-complex' });
        else this.#fail(cause);
      },
    });
    this.#thread = thread;
  }

  /** The provider has no part in it. */
  #fail(error: unknown): void {
    this.#logger?.error('the thread that reads large answers ended', { error });
    this.#end({ kind: 'unavailable' });
  }

  #ready(thread: Thread<ToAnswerThread>): void {
    this.#isReady = true;
    if (this.#current !== undefined) this.#post(thread, this.#current);
  }

  #post(thread: Thread<ToAnswerThread>, { message }: Job): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end({ kind: 'too-complex' }), this.#options.workMs);
    thread.post(message, ownMemory(message[0].bytes));
  }

  #settle(result: AnswerResult): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined) {
      this.#count -= 1;
      job.resolve(result);
    }
    this.#next();
  }

  /** Ends the thread, and with it what it works on. */
  #end(result: AnswerResult): void {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#isReady = false;
    void thread?.terminate();
    this.#settle(result);
  }
}
