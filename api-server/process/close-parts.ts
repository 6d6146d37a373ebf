import type { LogHead } from '../log-head/log-head.ts';
import type { Platform } from './platform.ts';

interface Closing {
  readonly timers: readonly { readonly close: () => void }[];
  /** They read the ledger, so they end before it. */
  readonly threads: readonly { readonly close: () => Promise<void> }[];
  /** Written after the ledger's last entry. */
  readonly head: LogHead;
}

/** Closes the parts of a platform: what uses a part is closed before it. */
export async function closeParts(
  { dialer, ledger, runtime, log }: Omit<Platform, 'close'>,
  { timers, threads, head }: Closing,
): Promise<void> {
  for (const timer of timers) timer.close();
  await dialer.destroy();
  for (const thread of threads) await thread.close();
  // Before the ledger: what waits for the thread is signed here, and stored.
  await runtime.selfCheck.close();
  await ledger.close();
  await runtime.answers.close();
  await head.close();
  await log.logger.flush();
}
