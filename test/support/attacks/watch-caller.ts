import { MessageChannel, Worker } from 'node:worker_threads';

/** What an ordinary caller got while others attacked. */
export interface Watched {
  readonly calls: number;
  /** Refused, cut, or not answered in 20 s. */
  readonly failed: number;
  readonly worstMs: number;
  /** How late this thread woke up at worst: what the machine alone costs. */
  readonly lateMs: number;
}

const isWatched = (value: unknown): value is Watched =>
  typeof value === 'object' && value !== null && 'calls' in value && 'failed' in value && 'worstMs' in value;

/** Calls these paths in turn from 127.0.0.2, each on a new connection. @returns a function that ends it */
export function watchCaller(port: number, paths: readonly string[]): () => Promise<Watched> {
  const worker = new Worker(new URL('caller-thread.ts', import.meta.url), { workerData: { port, paths } });
  return async () => {
    const { port1: own, port2: its } = new MessageChannel();
    const reported = new Promise<unknown>((resolve) => own.once('message', resolve));
    worker.postMessage(its, [its]);
    const watched = await reported;
    own.close();
    await worker.terminate();
    if (!isWatched(watched)) throw new TypeError('no report of the caller');
    return watched;
  };
}

/** A process with less than its share of a busy machine waits several turns where this thread waits one. */
const TURNS = 4;

/** The longest time that a call may take on this machine. @param mostMs on a machine of its own */
export const allowedMs = (mostMs: number, { lateMs }: Watched): number => mostMs + TURNS * lateMs;

/** In words, for the report of a test. */
export const watchedText = ({ calls, failed, worstMs, lateMs }: Watched): string =>
  `${calls} calls of others, ${failed} failed, worst ${worstMs.toFixed(0)} ms (the machine: ${lateMs.toFixed(0)} ms)`;
