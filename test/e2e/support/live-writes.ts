import { setTimeout as delay } from 'node:timers/promises';
import type { TestNamespace } from '../../support/cluster.ts';
import { executionOf, loadOrb } from './provider-pods.ts';

/** A simulated user who edits an Orb all the time. */
export interface LiveWrites {
  /** Resolves after the last write. @returns the number of writes, and the refusals */
  readonly stop: () => Promise<{ readonly count: number; readonly refused: readonly string[] }>;
}

const PAUSE_MS = 300;
const TRIES = 10;
// Errors of the API server's own disk, which are not refusals.
const STALLED = /etcdserver: (?:request timed out|leader changed)/;
const describe = (count: number): string => `Written ${count} times.`;

/** The Orb that is written. */
export const WRITTEN = 'written';

/** Its text after the given number of writes. */
export const descriptionAfter = describe;

const writtenOrb = (count: number): object =>
  loadOrb(WRITTEN, { provider: 'alpha', execution: executionOf('alpha', 'GET'), description: describe(count) });

/** Applies the Orb repeatedly, each time with another text. */
export function startWriting(tenant: TestNamespace): LiveWrites {
  const stopped = new AbortController();
  const refused: string[] = [];
  let count = 0;
  const write = (number: number, tries = 1): Promise<void> =>
    tenant.apply(writtenOrb(number)).catch(async (error: unknown) => {
      if (tries === TRIES || !STALLED.test(String(error))) throw error;
      await delay(PAUSE_MS);
      return write(number, tries + 1);
    });
  const writing = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      count += 1;
      await write(count).catch((error: unknown) => refused.push(String(error)));
      await delay(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const written = writing();
  return {
    stop: async () => {
      stopped.abort();
      await written;
      return { count, refused };
    },
  };
}
