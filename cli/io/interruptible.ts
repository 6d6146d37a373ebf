import { EXIT, Failure } from './failure.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that would leave something behind if the process ended in the middle. The first signal to this process
 * asks the work to stop; a second signal ends the process as usual.
 * @param work rejects with the signal's reason when it stopped early
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
