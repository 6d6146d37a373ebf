import { setTimeout as delay } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';

/** What an ordinary caller got while others attacked. */
export interface Watched {
  readonly calls: number;
  /** Refused, cut, or not answered in 5 s. */
  readonly failed: number;
  readonly worstMs: number;
}

const CALM_MS = 1000;

const isWatched = (value: unknown): value is Watched =>
  typeof value === 'object' && value !== null && 'calls' in value && 'failed' in value && 'worstMs' in value;

/** The calls of a caller while nobody attacks: on a busy machine they take their time as well. */
export async function watchCalm(port: number, paths: readonly string[]): Promise<Watched> {
  const stop = watchCaller(port, paths);
  await delay(CALM_MS);
  return stop();
}

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
