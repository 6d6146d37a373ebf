import type { KeyObject } from 'node:crypto';
import { threadOf, type StartThread, type Thread } from '../../adapters/threads/start-thread.ts';
import type { FromCheckThread, ToCheckThread } from './check-thread.ts';
import { signatureChecker, type SignatureChecker } from './signature-checker.ts';

export type StartCheckThread = StartThread<ToCheckThread, FromCheckThread>;

// A batch is some 300 KB of text.
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

/** The thread of the product. */
export const startCheckThread: StartCheckThread = threadOf(new URL('./check-thread.ts', import.meta.url), {
  name: 'self-check',
  resourceLimits,
});

export interface SelfCheckOptions {
  /** Starts the thread; undefined: every check runs on this thread. */
  readonly start?: StartCheckThread;
  /** Called when the thread ended without being told to. */
  readonly onCrash?: (cause: unknown) => void;
}

interface Waiting {
  readonly jws: string;
  readonly resolve: (fits: boolean) => void;
}

/** Receipts in a message: the first of them waits some 15 ms for the last. */
const MAX_BATCH = 128;
/** Receipts that wait for the thread; further ones are checked at once, on this thread. */
const MAX_WAITING = 4096;
/** After so many crashes with no batch between them, no further thread is started. */
const MAX_CRASHES = 3;

/**
 * Verifies each new receipt with the published key before its run is answered (trust.md §1.5). A thread takes all
 * receipts that came up while it was busy as one batch: handing each over alone costs more than its check. A receipt
 * that comes up alone is checked on this thread, after its row was sent to the ledger (performance.md §3.1).
 * Once a receipt does not verify, this process must start no more runs.
 */
export class SelfCheck {
  readonly #key: KeyObject;
  readonly #checker: SignatureChecker;
  readonly #options: SelfCheckOptions;
  #thread: Thread<ToCheckThread> | undefined;
  /** The thread has loaded and has the key. */
  #ready = false;
  #waiting: Waiting[] = [];
  #batch: readonly Waiting[] = [];
  #planned = false;
  #failed = false;
  #crashes = 0;
  #closed = false;

  constructor(key: KeyObject, options: SelfCheckOptions = {}) {
    this.#key = key;
    this.#checker = signatureChecker(key);
    this.#options = options;
  }

  /** What checks on this thread. */
  get checker(): Pick<SignatureChecker, 'library' | 'reason'> {
    return this.#checker;
  }

  /** True after the first receipt that did not verify. It never becomes false again. */
  get failed(): boolean {
    return this.#failed;
  }

  /**
   * @param jws compact JWS of this process @returns whether its signature fits the published key; false is remembered
   */
  async check(jws: string): Promise<boolean> {
    const fits = await this.verifies(jws);
    if (!fits) this.#failed = true;
    return fits;
  }

  /** The same for a JWS that another process may have made. A failure does not count for this process. */
  verifies(jws: string): Promise<boolean> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve(this.#checker.fits(jws));
    return new Promise((resolve) => {
      this.#waiting.push({ jws, resolve });
      this.#plan();
    });
  }

  /** Ends the thread. What still waits, and what comes later, is checked on this thread. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
  }

  /** After the rows of this turn were sent, and with all receipts that come up in it. */
  #plan(): void {
    if (this.#planned || this.#batch.length > 0) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length > 1) this.#thread ??= this.#start();
    const useThread = this.#thread !== undefined && this.#ready && this.#waiting.length > 1;
    const taken = this.#waiting.splice(0, MAX_BATCH);
    if (!useThread) {
      this.#checkHere(taken);
      if (this.#waiting.length > 0) this.#plan();
      return;
    }
    this.#batch = taken;
    this.#thread?.post(['batch', taken.map(({ jws }) => jws)]);
  }

  #checkHere(taken: readonly Waiting[]): void {
    for (const { jws, resolve } of taken) resolve(this.#checker.fits(jws));
  }

  #start(): Thread<ToCheckThread> | undefined {
    const { start } = this.#options;
    if (start === undefined || this.#closed || this.#crashes >= MAX_CRASHES) return undefined;
    const thread = start({ onMessage: (verdicts) => this.#settle(verdicts), onEnd: (cause) => this.#ended(cause) });
    thread.post(['key', this.#key]);
    return thread;
  }

  #settle(verdicts: FromCheckThread): void {
    this.#ready = true;
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#crashes = 0;
    // The thread gets its next batch first. Then the runs of this batch continue.
    if (this.#waiting.length > 0) this.#next();
    batch.forEach(({ resolve }, position) => resolve(verdicts[position] === true));
  }

  #ended(cause: unknown): void {
    const batch = this.#batch;
    this.#thread = undefined;
    this.#ready = false;
    this.#batch = [];
    if (!this.#closed) {
      this.#crashes += 1;
      this.#options.onCrash?.(cause);
    }
    this.#checkHere(batch);
    if (this.#waiting.length > 0) this.#plan();
  }
}
