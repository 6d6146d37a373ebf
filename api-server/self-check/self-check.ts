import type { KeyObject } from 'node:crypto';
import type { NativeEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { threadOf, type StartThread, type Thread } from '../../adapters/threads/start-thread.ts';
import type { FromCheckThread, ToCheckThread } from './check-thread.ts';
import type { Signed } from './sign-and-check.ts';
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
  /** What checks on this thread; default: it is loaded. */
  readonly native?: NativeEd25519;
  /** Private half of the key, for the thread; undefined: it signs nothing. */
  readonly signingKey?: KeyObject;
  /** Time that the thread has for a batch, ms (10 000). One that takes longer hangs: it is ended, as if it had crashed. */
  readonly batchMs?: number;
  /** Called when the thread ended without being told to. */
  readonly onCrash?: (cause: unknown) => void;
}

/** A JWS to check. */
interface WaitingCheck {
  readonly jws: string;
  readonly resolve: (fits: boolean) => void;
}

/** A receipt to sign; undefined: not by the thread. */
interface WaitingInput {
  readonly input: string;
  readonly resolve: (signed: Signed | undefined) => void;
}

type Waiting = WaitingCheck | WaitingInput;

/** What the thread has. */
interface Batch {
  readonly inputs: readonly WaitingInput[];
  readonly checks: readonly WaitingCheck[];
}

const NOTHING: Batch = { inputs: [], checks: [] };

const sizeOf = ({ inputs, checks }: Batch): number => inputs.length + checks.length;

function batchOf(taken: readonly Waiting[]): Batch {
  const inputs: WaitingInput[] = [];
  const checks: WaitingCheck[] = [];
  for (const one of taken)
    if ('input' in one) inputs.push(one);
    else checks.push(one);
  return { inputs, checks };
}

/** Receipts in a message: the first of them waits some 15 to 25 ms for the last. */
const MAX_BATCH = 128;
/** Receipts that wait for the thread; further ones are done at once, on this thread. */
const MAX_WAITING = 4096;
/**
 * The thread signs what comes up behind so many. At 32 callers the hand-over costs what it saves; at 256 the event loop, which
 * is the limit there, has 0.71 of its work (performance.md §3.1).
 */
const SIGN_BEHIND = 16;
const BATCH_MS = 10_000;
/** After so many crashes with no batch between them, no further thread is started. */
const MAX_CRASHES = 3;

/**
 * Verifies each new receipt with the published key before its run is answered (trust.md §1.5). A thread takes all
 * receipts that came up while it was busy as one batch: handing each over alone costs more than its check. A receipt
 * that comes up alone is checked on this thread, after its row was sent to the ledger (performance.md §3.1). While
 * many come up, they are signed there too.
 * Once a receipt does not verify, this process must start no more runs.
 */
export class SelfCheck {
  readonly #key: KeyObject;
  readonly #checker: SignatureChecker;
  readonly #options: SelfCheckOptions;
  #thread: Thread<ToCheckThread> | undefined;
  /** The thread has loaded and has the keys. */
  #ready = false;
  #waiting: Waiting[] = [];
  #batch = NOTHING;
  #planned = false;
  #failed = false;
  #crashes = 0;
  #deadline: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(key: KeyObject, options: SelfCheckOptions = {}) {
    this.#key = key;
    this.#checker = signatureChecker(key, options.native);
    this.#options = options;
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

  /**
   * Signs and checks a receipt on the thread while many are there; a lone one would wait for the hand-over. A signature that
   * does not fit is remembered.
   * @param input header and payload of a compact JWS @returns undefined: sign and check it as a lone one
   */
  async sign(input: string): Promise<Signed | undefined> {
    const ahead = sizeOf(this.#batch) + this.#waiting.length;
    const isTaken = ahead >= SIGN_BEHIND && ahead < MAX_WAITING && this.#ready;
    if (!isTaken || this.#options.signingKey === undefined) return undefined;
    const signed = await new Promise<Signed | undefined>((resolve) => {
      this.#waiting.push({ input, resolve });
      this.#plan();
    });
    if (signed?.fits === false) this.#failed = true;
    return signed;
  }

  /** Ends the thread. What still waits, and what comes later, is done on this thread. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
  }

  /** After the rows of this turn were sent, and with all receipts that come up in it. */
  #plan(): void {
    if (this.#planned || sizeOf(this.#batch) > 0) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#next();
    });
  }

  #next(): void {
    const taken = this.#waiting.splice(0, MAX_BATCH);
    if (taken.length > 1) this.#thread ??= this.#start();
    const batch = batchOf(taken);
    if (this.#thread === undefined || !this.#ready || (taken.length <= 1 && batch.inputs.length === 0)) {
      this.#doHere(batch);
      if (this.#waiting.length > 0) this.#plan();
      return;
    }
    this.#batch = batch;
    const thread = this.#thread;
    this.#deadline = setTimeout(() => void thread.terminate(), this.#options.batchMs ?? BATCH_MS).unref();
    thread.post(['batch', batch.inputs.map(({ input }) => input), batch.checks.map(({ jws }) => jws)]);
  }

  #doHere({ inputs, checks }: Batch): undefined {
    for (const { resolve } of inputs) resolve(undefined);
    for (const { jws, resolve } of checks) resolve(this.#checker.fits(jws));
  }

  #start(): Thread<ToCheckThread> | undefined {
    const { start, signingKey } = this.#options;
    if (start === undefined || this.#closed || this.#crashes >= MAX_CRASHES) return undefined;
    const thread = start({ onMessage: (results) => this.#settle(results), onEnd: (cause) => this.#ended(cause) });
    thread.post(['keys', this.#key, signingKey]);
    return thread;
  }

  #settle({ signed, fits }: FromCheckThread): undefined {
    this.#ready = true;
    const batch = this.#batch;
    if (sizeOf(batch) === 0) return undefined;
    clearTimeout(this.#deadline);
    this.#batch = NOTHING;
    this.#crashes = 0;
    // The thread gets its next batch first. Then the runs of this batch continue.
    if (this.#waiting.length > 0) this.#next();
    // The thread left out a verdict: none of its results is used, and this thread does the batch again.
    if (fits.length !== batch.checks.length) return this.#doHere(batch);
    batch.inputs.forEach(({ resolve }, position) => resolve(signed[position]));
    batch.checks.forEach(({ resolve }, position) => resolve(fits[position] === true));
    return undefined;
  }

  #ended(cause: unknown): void {
    const batch = this.#batch;
    clearTimeout(this.#deadline);
    this.#thread = undefined;
    this.#ready = false;
    this.#batch = NOTHING;
    if (!this.#closed) {
      this.#crashes += 1;
      this.#options.onCrash?.(cause);
    }
    this.#doHere(batch);
    if (this.#waiting.length > 0) this.#plan();
  }
}
