import { setTimeout as delay } from 'node:timers/promises';
import type { LineToScore, ScoredLine } from '../../core/reputation/score-line.ts';
import type { ReceiptTotals } from '../../core/ingestion/incidents/corroborate.ts';
import { LedgerError, type ReceiptWindow } from '../ledger/port.ts';
import { threadOf, type StartThread, type Thread } from '../threads/start-thread.ts';
import type { CheckedOrb, OrbToCheck, Scorer } from './port.ts';
import type { FromScoreThread, ScoreWork, ToScoreThread } from './serve-scores.ts';

type StartScoreThread = StartThread<ToScoreThread, FromScoreThread>;

const startScoreThread: StartScoreThread = threadOf(new URL('./score-thread.ts', import.meta.url), {
  name: 'scores',
  resourceLimits: { maxYoungGenerationSizeMb: 16 },
});

export interface ScoreRunnerOptions {
  /** Path of the ledger's file. */
  readonly file: string;
  /** Called when the thread ended without being told to. */
  readonly onCrash?: (cause: unknown) => void;
  /** Time without work after which the thread ends, ms; default 30 s. */
  readonly idleMs?: number;
  /** Time for one piece of work, ms; default 60 s. A thread that takes longer is ended, and counts as crashed. */
  readonly workMs?: number;
  readonly start?: StartScoreThread;
  /** Waits between two steps of a check; default 25 ms. */
  readonly rest?: (signal: AbortSignal) => Promise<void>;
}

interface Job {
  readonly work: ScoreWork;
  /** Whether another thread may do it. A check that lost its thread begins anew instead. */
  readonly mayRepeat: boolean;
  readonly resolve: (answer: FromScoreThread) => void;
  readonly reject: (error: LedgerError) => void;
  crashes: number;
}

const IDLE_MS = 30_000;
/** A line or a step of a check takes milliseconds: a thread that takes this long hangs. */
const WORK_MS = 60_000;
/** A step takes some 5 ms: a check of ten million entries then has a fifth of a core for minutes, not a whole one. */
const REST_MS = 25;
/** Lines that wait for the thread: the evaluations ask for a few at a time. */
const MAX_WAITING = 64;
/** Threads that the same work may end. */
const MAX_CRASHES = 2;
/** A thread that was told to close has this long to finish its work, ms. */
const CLOSE_MS = 2000;

const restBriefly = (signal: AbortSignal): Promise<void> => delay(REST_MS, undefined, { signal, ref: false });

const closed = (): LedgerError => new LedgerError('ledger-closed', 'the ledger is closed');

const unavailable = (why: string, options?: ErrorOptions): LedgerError =>
  new LedgerError('ledger-unavailable', why, options);

/** An error of the thread, with the stack that it has there. */
function brokenError(message: string, stack: string): Error {
  const error = new Error(`the thread that computes scores failed: ${message}`);
  error.stack = stack;
  return error;
}

/** @throws LedgerError the ledger failed @throws Error the thread failed, or answered something else */
function refuse(answer: FromScoreThread): never {
  if (answer[0] === 'failed') throw new LedgerError(answer[1], answer[2]);
  if (answer[0] === 'broken') throw brokenError(answer[1], answer[2]);
  throw new TypeError('the thread that computes scores gave another answer');
}

/**
 * Computes scores in a thread with a read connection of its own, one piece of work at a time (trust.md §5.2). The thread
 * starts with the first piece, and ends after some time without work. One that hangs is ended. Scores go before the steps of a check.
 */
export class ScoreRunner implements Scorer {
  readonly #options: ScoreRunnerOptions;
  readonly #start: StartScoreThread;
  readonly #scores: Job[] = [];
  readonly #steps: Job[] = [];
  #current: Job | undefined;
  #thread: Thread<ToScoreThread> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Runs while the thread has a piece of work. */
  #late: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ScoreRunnerOptions) {
    this.#options = options;
    this.#start = options.start ?? startScoreThread;
  }

  readonly score = async (line: LineToScore): Promise<ScoredLine> => {
    const answer = await this.#ask(this.#scores, ['score', line], true);
    return answer[0] === 'scored' ? answer[1] : refuse(answer);
  };

  readonly count = async (window: ReceiptWindow): Promise<ReceiptTotals> => {
    const answer = await this.#ask(this.#scores, ['count', window], true);
    return answer[0] === 'counted' ? answer[1] : refuse(answer);
  };

  readonly check = async (orb: OrbToCheck, signal: AbortSignal): Promise<CheckedOrb> => {
    const { rest = restBriefly } = this.#options;
    let work: ScoreWork = ['check', orb];
    for (;;) {
      signal.throwIfAborted();
      const answer = await this.#ask(this.#steps, work, false);
      if (answer[0] !== 'checked') return refuse(answer);
      if (answer[1] !== null) return answer[1];
      work = ['step'];
      await rest(signal);
    }
  };

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    for (const { reject } of [...this.#scores.splice(0), ...this.#steps.splice(0)]) reject(closed());
    await this.#end();
  };

  #ask(queue: Job[], work: ScoreWork, mayRepeat: boolean): Promise<FromScoreThread> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      if (queue.length >= MAX_WAITING) return reject(unavailable('too many evaluations wait'));
      queue.push({ work, mayRepeat, resolve, reject, crashes: 0 });
      return this.#next();
    });
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    this.#current = this.#scores.shift() ?? this.#steps.shift();
    if (this.#current === undefined) {
      this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
      return;
    }
    const thread = (this.#thread ??= this.#begin());
    this.#late = setTimeout(() => this.#hangs(thread), this.#options.workMs ?? WORK_MS).unref();
    thread.post(this.#current.work);
  }

  #begin(): Thread<ToScoreThread> {
    const thread = this.#start({
      onMessage: (answer) => this.#answered(thread, answer),
      onEnd: (cause) => this.#ended(thread, cause),
    });
    thread.post(['open', this.#options.file]);
    return thread;
  }

  #hangs(thread: Thread<ToScoreThread>): void {
    void thread.terminate();
    const workMs = this.#options.workMs ?? WORK_MS;
    this.#ended(thread, new Error(`one piece of work took longer than ${workMs} ms`));
  }

  /** An answer of a thread that was given up is left out. */
  #answered(thread: Thread<ToScoreThread>, answer: FromScoreThread): void {
    if (this.#thread !== thread) return;
    clearTimeout(this.#late);
    const job = this.#current;
    this.#current = undefined;
    job?.resolve(answer);
    if (!this.#closed) this.#next();
  }

  /** Ends the thread after the piece of work that it has. */
  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (thread === undefined) return;
    if (this.#current === undefined) this.#thread = undefined;
    thread.post(['close']);
    const timer = setTimeout(() => void thread.terminate(), CLOSE_MS);
    await thread.ended;
    clearTimeout(timer);
  }

  #ended(thread: Thread<ToScoreThread>, cause: unknown): void {
    if (this.#thread !== thread) return; // it was told to, or given up
    clearTimeout(this.#late);
    this.#thread = undefined;
    const job = this.#current;
    this.#current = undefined;
    if (!this.#closed) this.#options.onCrash?.(cause);
    if (job !== undefined) this.#lost(job, cause);
    if (!this.#closed) this.#next();
  }

  #lost(job: Job, cause: unknown): void {
    job.crashes += 1;
    if (this.#closed) job.reject(closed());
    else if (job.mayRepeat && job.crashes < MAX_CRASHES) this.#scores.unshift(job);
    else job.reject(unavailable('the thread that computes scores ended', { cause }));
  }
}
