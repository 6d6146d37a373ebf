import { extname } from 'node:path';
import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { threadLimits } from './thread-limits.ts';

// A compiler rewrites the extension of imports, but not of URLs: every module has that of this one.
const EXTENSION = extname(import.meta.url);

/** The system shows the first 15 characters of the name. A thread that outgrows its limits ends like one that crashed. */
type ThreadOptions = Pick<WorkerOptions, 'name' | 'resourceLimits'>;

/** What a thread tells. */
interface ThreadEvents<Out> {
  readonly onMessage: (message: Out) => void;
  /** Once; it takes no further message. `cause` is undefined after an ordinary end. */
  readonly onEnd: (cause: unknown) => void;
}

/** A thread that was started. */
export interface Thread<In> {
  /** @param transfer objects that the other side takes over instead of a copy: pays from about 64 kB on (performance.md §4) */
  readonly post: (message: In, transfer?: readonly Transferable[]) => void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Ends it at once, whatever it does. */
  readonly terminate: () => Promise<unknown>;
}

/** Starts a thread, or in tests what stands for it. */
export type StartThread<In, Out> = (events: ThreadEvents<Out>) => Thread<In>;

/** A thread that tells what it costs. */
export interface MeasuredThread<In> extends Thread<In> {
  /** Processor time that it has used so far, ms; NaN after it ended. */
  readonly cpuMs: () => Promise<number>;
}

/** As `StartThread`. */
export type StartMeasuredThread<In, Out> = (events: ThreadEvents<Out>) => MeasuredThread<In>;

/** The thread of a system that gives no further one, or no memory for it: it takes no message, and ended already. */
function notStarted<In>(cause: unknown, onEnd: (cause: unknown) => void): MeasuredThread<In> {
  queueMicrotask(() => onEnd(cause));
  return {
    post: () => undefined,
    cpuMs: () => Promise.resolve(Number.NaN),
    ended: Promise.resolve(),
    terminate: () => Promise.resolve(),
  };
}

function workerOf(
  entry: URL,
  { name, resourceLimits }: ThreadOptions,
): { readonly worker: Worker } | { readonly refusal: unknown } {
  try {
    const url = new URL(entry.href.replace(/\.ts$/, EXTENSION));
    return { worker: new Worker(url, { name, resourceLimits: threadLimits(resourceLimits) }) };
  } catch (error) {
    return { refusal: error };
  }
}

async function cpuMsOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return Number.NaN; // it ended
  }
}

/**
 * A thread of its own. One that can't be started ends at once, after it was returned: starting never throws.
 * @param entry module that the thread runs: `new URL('./name.ts', import.meta.url)`
 */
export const threadOf =
  <In, Out>(entry: URL, options: ThreadOptions): StartMeasuredThread<In, Out> =>
  ({ onMessage, onEnd }) => {
    const started = workerOf(entry, options);
    if ('refusal' in started) return notStarted(started.refusal, onEnd);
    const { worker } = started;
    let over = false;
    const end = (cause: unknown): void => {
      if (over) return;
      over = true;
      onEnd(cause);
    };
    worker.on('message', (message: Out) => {
      if (!over) onMessage(message);
    });
    worker.on('error', end);
    worker.on('messageerror', (error) => {
      end(error);
      void worker.terminate();
    });
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        end(undefined);
        resolve();
      });
    });
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      cpuMs: () => cpuMsOf(worker),
      ended,
      terminate: () => worker.terminate(),
    };
  };
