import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for.ts';

/** A time that only a hang exceeds: a slow minute of the machine must not fail a test. */
export const PATIENCE_MS = 90_000;
const PAUSE_MS = 500;

/**
 * Polls until an answer comes, at least ten times: a poll of a cluster takes seconds.
 * @returns undefined: no answer came
 */
export const eventually = <T>(poll: () => Promise<T | undefined>, ms = PATIENCE_MS): Promise<T | undefined> =>
  waitFor(poll, ms);

/** Repeats a request while it fails. Only for requests that may be repeated. @throws the last error */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > until) throw error;
      await delay(PAUSE_MS);
    }
  }
}
