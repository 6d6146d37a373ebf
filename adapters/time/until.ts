import type { Clock } from './clock.ts';

export interface Polling {
  /** Time between two checks, ms. */
  readonly everyMs: number;
  /** `false`: this wait alone does not keep the process alive. Default: true. */
  readonly ref?: boolean;
}

/**
 * Waits until a condition holds: checks at once, then at intervals, and a last time after an abort. Rejects only when
 * the condition does.
 * @returns whether it holds; false: the signal was aborted first
 */
export async function until(
  check: () => boolean,
  clock: Pick<Clock, 'sleep'>,
  { everyMs, ref = true }: Polling,
  signal: AbortSignal,
): Promise<boolean> {
  while (!check()) {
    if (signal.aborted) return false;
    await clock.sleep(everyMs, signal, { ref }).catch(() => undefined);
  }
  return true;
}
