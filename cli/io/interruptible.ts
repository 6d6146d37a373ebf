import { EXIT, Failure } from './failure.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs what would leave something behind if it were cut off: the first signal to this process asks it to end, a second one
 * ends the process as ever.
 * @param work rejects with the signal's reason when it gave up
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (name: NodeJS.Signals): void =>
    stopping.abort(new Failure(EXIT.negative, `stopped by ${name}: nothing was changed`));
  for (const name of SIGNALS) process.once(name, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, stop);
  }
}
