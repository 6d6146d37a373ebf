import { printsJson } from '../verdict/prints-json.ts';
import { availableParallelism } from 'node:os';
import type { Args } from '../../adapters/process/arguments.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { Failure, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { readText, unreadable } from '../io/read-file.ts';
import { readKeysFile } from '../verdict/document.ts';
import { rememberKeys, type NewerKeys } from '../verdict/remember-keys.ts';
import { maxAgeOf, statusListOf, trustAnchorsOf } from '../verdict/settings.ts';
import { InOrder } from './in-order.ts';
import { batchJudge, type BatchSettings, type JudgeBatch } from './judge-batch.ts';
import { lineBatches } from './line-batches.ts';
import { add, exitOf, NO_LINES, summaryOf, type BatchVerdicts, type Counts } from './verdicts.ts';
import { startThread, VerifyThreads, type StartThread } from './verify-threads.ts';

const MAX_KEYS_BYTES = 64 * 1024 * 1024;
const MAX_THREADS = 16;
/** Flags about the one run of a receipt. */
const ONE_RUN = ['input', 'input-salt', 'output', 'output-salt'];
const UNREAD: Counts = { ...NO_LINES, undecidable: 1 };
/** Time between two lines of progress. */
const PROGRESS_MS = 5000;

/** When threads are used, and how they start; tests pass their own. */
export interface Threading {
  /** Lines that are judged without a thread first: a thread starts in the time of about 400 lines. */
  readonly afterLines: number;
  readonly start: StartThread;
}

const THREADING: Threading = { afterLines: 400, start: startThread };

function threadsOf(args: Args): number {
  const text = args.one('threads');
  if (text === undefined) return Math.min(availableParallelism(), MAX_THREADS);
  const threads = Number(text);
  if (/^[1-9][0-9]?$/.test(text) && threads <= MAX_THREADS) return threads;
  throw usage(`--threads ${printable(text)}: a number from 1 to ${MAX_THREADS}`);
}

async function settingsOf(args: Args, io: Io): Promise<BatchSettings> {
  const wrong = ONE_RUN.find((name) => args.has(name));
  if (wrong !== undefined) throw usage(`--${wrong} is about one run: leave it out for a file of lines`);
  const keys = args.one('keys');
  return {
    believed: await trustAnchorsOf(args, io),
    keysJws: keys === undefined ? undefined : readKeysFile(await readText(keys, MAX_KEYS_BYTES, io)),
    allowUnlogged: args.has('allow-unlogged'),
    statusList: await statusListOf(args, io),
    maxAgeMs: maxAgeOf(args).maxAgeMs,
    explain: args.has('explain'),
    now: io.clock.now(),
    isJson: printsJson(args),
  };
}

/** Judges on this thread first, and on other threads when there are more lines. */
class Judges {
  readonly #here: JudgeBatch;
  readonly #threads: VerifyThreads | undefined;
  readonly #afterLines: number;

  constructor(here: JudgeBatch, threads: VerifyThreads | undefined, afterLines: number) {
    this.#here = here;
    this.#threads = threads;
    this.#afterLines = afterLines;
  }

  readonly judge: JudgeBatch = (batch) =>
    this.#threads === undefined || batch.first <= this.#afterLines ? this.#here(batch) : this.#threads.judge(batch);

  close(): Promise<void> {
    return this.#threads?.close() ?? Promise.resolve();
  }
}

/** Prints verdicts as they come, and sums them up. */
class Results {
  readonly #io: Io;
  readonly #newer = new Map<string, NewerKeys>();
  #counts = NO_LINES;
  #progressAt: number;

  constructor(io: Io) {
    this.#io = io;
    this.#progressAt = io.clock.monotonic() + PROGRESS_MS;
  }

  get counts(): Counts {
    return this.#counts;
  }

  readonly write = async ({ text, counts, newer }: BatchVerdicts): Promise<void> => {
    this.#counts = add(this.#counts, counts);
    for (const keys of newer) {
      if (keys.sequence > (this.#newer.get(keys.issuer)?.sequence ?? 0)) this.#newer.set(keys.issuer, keys);
    }
    this.#io.out(text);
    this.#progress();
    await this.#io.files.drained();
  };

  /** Tells the trust store of the newest keys documents. */
  async remember(): Promise<void> {
    for (const keys of this.#newer.values()) await rememberKeys(keys, this.#io);
  }

  #progress(): void {
    const now = this.#io.clock.monotonic();
    if (!this.#io.showsProgress || now < this.#progressAt) return;
    this.#progressAt = now + PROGRESS_MS;
    this.#io.err(`${summaryOf(this.#counts)} …\n`);
  }
}

/** @returns a failure to read on; the lines before it are judged */
async function judgeAll(
  path: string,
  judge: JudgeBatch,
  results: InOrder<BatchVerdicts>,
  io: Io,
): Promise<Failure | undefined> {
  let failed: Failure | undefined;
  try {
    for await (const batch of lineBatches(io.files.chunks(path, io.signal))) await results.add(judge(batch));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    failed = unreadable(path === '-' ? 'standard input' : path, error);
  }
  await results.end();
  return failed;
}

/**
 * Verifies every line of a file, each as a bundle or a receipt of its own. Verdicts go to stdout in the order of the
 * lines, counts to stderr.
 * @returns the exit code of the worst line @throws Failure the file can't be read, or has no lines
 */
export async function verifyLines(path: string, args: Args, io: Io, threading: Threading = THREADING): Promise<number> {
  const threads = threadsOf(args);
  const settings = await settingsOf(args, io);
  const others = threads === 1 ? undefined : new VerifyThreads(threads, settings, threading.start);
  const judges = new Judges(await batchJudge(settings), others, threading.afterLines);
  const results = new Results(io);
  let failed: Failure | undefined;
  try {
    failed = await judgeAll(path, judges.judge, new InOrder(3 * threads, results.write), io);
  } finally {
    await judges.close();
  }
  await results.remember();
  const { counts } = results;
  if (counts !== NO_LINES) io.err(`${summaryOf(counts)}\n`);
  // What was not read can't be decided.
  if (failed !== undefined) throw new Failure(exitOf(add(counts, UNREAD)), failed.message);
  if (counts === NO_LINES) throw invalid(`${printable(path)}: it is empty, so nothing was verified`);
  return exitOf(counts);
}
