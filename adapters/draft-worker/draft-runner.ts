import { errorCode } from '../../core/errors/error-code.ts';
import { TenantTurns } from '../suite-worker/tenant-turns.ts';
import type { Logger } from '../telemetry/port.ts';
import { threadOf, type StartThread, type Thread } from '../threads/start-thread.ts';
import type { DraftAnswer, Drafts, EvaluatedDraft, EvaluateWork, ValidatedDraft, ValidateWork } from './port.ts';
import type { DraftResult, FromDraftThread, ToDraftThread } from './serve-drafts.ts';

type StartDraftThread = StartThread<ToDraftThread, FromDraftThread>;

const MEMORY_MB = 192;
const YOUNG_MB = 32;

const startDraftThread: StartDraftThread = threadOf(new URL('./draft-thread.ts', import.meta.url), {
  name: 'drafts',
  resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB - YOUNG_MB, maxYoungGenerationSizeMb: YOUNG_MB },
});

/** The largest policy takes a second on an idle core, and 20 drafts of one body together no longer. */
const WORK_MS = 10_000;
/** Starting takes some 0.3 s; on a busy machine it may take longer, and the work does not pay for it. */
const START_MS = 30_000;
/** A thread takes some 30 MB, and drafts come in bursts. */
const IDLE_MS = 300_000;
/** Work of one tenant, and of all, that waits or is done. */
const MOST_OF_TENANT = 8;
const MOST = 32;

export interface DraftRunnerOptions {
  readonly logger: Pick<Logger, 'error'>;
  /** Limit of one piece of work, ms; default 10 s. */
  readonly workMs?: number;
  /** Time without work after which the thread is ended, ms; default 5 min. */
  readonly idleMs?: number;
  readonly start?: StartDraftThread;
}

interface Job {
  readonly message: ToDraftThread;
  readonly tenant: string;
  readonly resolve: (answer: DraftAnswer<DraftResult>) => void;
}

interface StartedThread {
  readonly thread: Thread<ToDraftThread>;
  isReady: boolean;
}

const UNAVAILABLE = { kind: 'unavailable' } as const;

/**
 * Compiles and tests drafts in one thread, so that the event loop stays free: one piece of work at a time, tenants take
 * turns. Work beyond 10 s or 192 MiB ends the thread, and the next work starts another one.
 */
export class DraftRunner implements Drafts {
  readonly #logger: Pick<Logger, 'error'>;
  readonly #workMs: number;
  readonly #idleMs: number;
  readonly #start: StartDraftThread;
  readonly #waiting = new TenantTurns<Job>();
  readonly #taken = new Map<string, number>();
  #total = 0;
  #job: Job | undefined;
  #started: StartedThread | undefined;
  /** Of the start, of the work or of the idle time. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ logger, workMs = WORK_MS, idleMs = IDLE_MS, start = startDraftThread }: DraftRunnerOptions) {
    this.#logger = logger;
    this.#workMs = workMs;
    this.#idleMs = idleMs;
    this.#start = start;
  }

  readonly validate = async (work: ValidateWork, tenant: string): Promise<DraftAnswer<ValidatedDraft>> => {
    const answer = await this.#run(['validate', work], tenant);
    if (answer.kind !== 'done') return answer;
    if (answer.value[0] !== 'validated') throw new TypeError('the thread gave another answer');
    return { kind: 'done', value: answer.value[1] };
  };

  readonly evaluate = async (work: EvaluateWork, tenant: string): Promise<DraftAnswer<readonly EvaluatedDraft[]>> => {
    const answer = await this.#run(['evaluate', work], tenant);
    if (answer.kind !== 'done') return answer;
    if (answer.value[0] !== 'evaluated') throw new TypeError('the thread gave another answer');
    return { kind: 'done', value: answer.value[1] };
  };

  /** Ends a thread without work, as after the idle time: others need its memory. */
  readonly rest = async (): Promise<void> => {
    if (this.#job === undefined) await this.#drop();
  };

  /** Ends the thread; all work is answered `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = this.#drop();
    if (this.#job !== undefined) this.#finish(UNAVAILABLE);
    await ended;
  }

  #run(message: ToDraftThread, tenant: string): Promise<DraftAnswer<DraftResult>> {
    if (this.#isClosed) return Promise.resolve(UNAVAILABLE);
    const own = this.#taken.get(tenant) ?? 0;
    if (own >= MOST_OF_TENANT) return Promise.resolve({ kind: 'busy', of: 'tenant' });
    if (this.#total >= MOST) return Promise.resolve({ kind: 'busy', of: 'all' });
    this.#taken.set(tenant, own + 1);
    this.#total += 1;
    return new Promise((resolve) => {
      this.#waiting.add(tenant, { message, tenant, resolve });
      if (this.#job === undefined) this.#next();
    });
  }

  #next(): void {
    this.#job = this.#waiting.next();
    if (this.#job === undefined) return this.#limit(this.#idleMs, () => void this.#drop());
    if (this.#isClosed) return this.#finish(UNAVAILABLE);
    this.#started ??= this.#startThread();
    if (this.#started.isReady) return this.#send(this.#started);
    return this.#limit(START_MS, () => this.#fail('the thread of drafts did not start'));
  }

  #startThread(): StartedThread {
    const thread = this.#start({
      onMessage: (message) => {
        if (this.#started === started) this.#answered(message, started);
      },
      onEnd: (cause) => {
        if (this.#started === started) this.#ended(cause);
      },
    });
    const started: StartedThread = { thread, isReady: false };
    return started;
  }

  #send({ thread }: StartedThread): void {
    if (this.#job === undefined) return;
    this.#limit(this.#workMs, () => {
      void this.#drop();
      this.#finish({ kind: 'too-expensive', detail: `compiling and testing take longer than ${this.#workMs} ms` });
    });
    thread.post(this.#job.message);
  }

  #answered(message: FromDraftThread, started: StartedThread): void {
    switch (message[0]) {
      case 'ready':
        started.isReady = true;
        return this.#send(started);
      case 'broken':
        return this.#fail(message[1]);
      case 'validated':
      case 'evaluated':
        return this.#finish({ kind: 'done', value: message });
      default:
        return message satisfies never;
    }
  }

  #ended(cause: unknown): void {
    this.#started = undefined;
    if (this.#job === undefined) return;
    if (errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY')
      this.#finish({
        kind: 'too-expensive',
        detail: `compiling and testing need more than ${MEMORY_MB} MiB of memory`,
      });
    else this.#fail('the thread of drafts ended', cause);
  }

  #fail(why: string, cause?: unknown): void {
    this.#logger.error('a draft could not be compiled', { why, ...(cause === undefined ? {} : { error: cause }) });
    void this.#drop();
    this.#finish(UNAVAILABLE);
  }

  /** Answers the work, and begins the next. */
  #finish(answer: DraftAnswer<DraftResult>): void {
    const job = this.#job;
    clearTimeout(this.#timer);
    if (job === undefined) return;
    const own = (this.#taken.get(job.tenant) ?? 1) - 1;
    if (own === 0) this.#taken.delete(job.tenant);
    else this.#taken.set(job.tenant, own);
    this.#total -= 1;
    job.resolve(answer);
    this.#next();
  }

  /** Ends the thread, whatever it does. */
  async #drop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    clearTimeout(this.#timer);
    await started?.thread.terminate();
    await started?.thread.ended;
  }

  #limit(ms: number, late: () => void): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(late, ms);
  }
}
