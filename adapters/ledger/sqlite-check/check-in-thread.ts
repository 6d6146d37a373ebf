import { threadOf, type StartThread } from '../../threads/start-thread.ts';
import { LedgerError } from '../port.ts';
import type { CheckedFile } from './check-file.ts';
import type { WalkedLog } from './log-walk.ts';
import type { FromCheckThread, ToCheckThread } from './serve-check.ts';

/** Result of a check, and the CPU time of its thread. */
export interface CheckedLedger extends CheckedFile {
  readonly cpuMs: number;
}

/** What is checked, and by which thread. */
export interface CheckOptions {
  /** Path of the ledger's file, which this process has open. */
  readonly file: string;
  readonly log: WalkedLog;
  readonly start?: StartThread<ToCheckThread, FromCheckThread>;
}

const startThread: StartThread<ToCheckThread, FromCheckThread> = threadOf(
  new URL('./check-thread.ts', import.meta.url),
  { name: 'ledger-check', resourceLimits: { maxYoungGenerationSizeMb: 8 } },
);

/**
 * Checks a whole ledger in a thread of its own, at no more than 2 % of a core and below the priority of other threads.
 * @throws LedgerError `ledger-unavailable` the file could not be read, or the thread ended
 * @throws the reason of the signal
 */
export async function checkInThread(
  { file, log, start = startThread }: CheckOptions,
  signal: AbortSignal,
): Promise<CheckedLedger> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<CheckedLedger>();
  const thread = start({
    onMessage: (message) => {
      if (message[0] === 'checked') resolve({ ...message[1], cpuMs: message[2] });
      else reject(new LedgerError('ledger-unavailable', message[1]));
    },
    onEnd: (cause) =>
      reject(new LedgerError('ledger-unavailable', 'the thread that checks the ledger ended', { cause })),
  });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  thread.post(['check', file, log]);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}
