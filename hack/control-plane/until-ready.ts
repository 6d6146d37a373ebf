import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_MS = 60_000;
const POLL_MS = 50;

/** A program that was started and is not ready yet. */
export interface Starting {
  readonly name: string;
  readonly ended: () => boolean;
  /** The end of what it printed. */
  readonly tail: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/**
 * Waits until a program is ready; a program that takes too long is killed.
 * @param ask undefined while it is not ready
 * @throws Error the end of its output, when it ended early or took longer than a minute
 */
export async function untilReady<T>(
  program: Starting,
  ask: () => T | undefined | Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until && !program.ended()) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(POLL_MS);
  }
  const why = program.ended() ? 'has ended' : 'is not ready after 60 s';
  program.kill('SIGKILL');
  throw new Error(`${program.name} ${why}:\n${program.tail()}`);
}

/**
 * Waits until a program has written its ready file; otherwise like `untilReady`.
 * @param isReady whether a value is the content of its ready file
 */
export const untilReadyFile = <T>(
  file: string,
  program: Starting,
  isReady: (value: unknown) => value is T,
  signal?: AbortSignal,
): Promise<T> =>
  untilReady(
    program,
    () => {
      const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
      return isReady(value) ? value : undefined;
    },
    signal,
  );
