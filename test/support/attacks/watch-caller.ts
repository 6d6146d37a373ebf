import { MessageChannel, Worker } from 'node:worker_threads';
import type { Attacked } from './attacked.ts';

/** What an ordinary caller got while others attacked. */
export interface Watched {
  readonly calls: number;
  /** Refused, cut, or not answered in 20 s. */
  readonly failed: number;
  /** Longest time that the event loop worked between a call and its answer, ms: the latency on a machine of its own. */
  readonly worstMs: number;
  /** The same by the clock: a busy machine adds to it. */
  readonly clockMs: number;
}

const isWatched = (value: unknown): value is Watched =>
  typeof value === 'object' && value !== null && 'calls' in value && 'failed' in value && 'clockMs' in value;

/** Calls these paths in turn from 127.0.0.2, each on a new connection. @returns a function that ends it */
export function watchCaller({ port, child }: Attacked, paths: readonly string[]): () => Promise<Watched> {
  const worker = new Worker(new URL('caller-thread.ts', import.meta.url), {
    workerData: { port, pid: child.pid, paths },
  });
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

/** In words, for the report of a test. */
export const watchedText = ({ calls, failed, worstMs, clockMs }: Watched): string =>
  `${calls} calls of others, ${failed} failed, worst ${worstMs.toFixed(0)} ms of work (${clockMs.toFixed(0)} ms by the clock)`;
