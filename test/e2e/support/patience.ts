import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../support/cluster.ts';

/** What only a hang takes: a slow minute of the machine must fail no test. */
export const PATIENCE_MS = 90_000;
const PAUSE_MS = 500;

/** Polls until an answer comes, ten times at least: looks at a cluster take seconds. @returns undefined: none did */
export const eventually = <T>(look: () => Promise<T | undefined>, ms = PATIENCE_MS): Promise<T | undefined> =>
  waitFor(look, ms);

/** Asks again while the asking itself fails. For what may be asked twice. @throws the last error */
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
