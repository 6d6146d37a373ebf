import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_MS = 60_000;
const POLL_MS = 25;

/** A program that was started with `--ready-file`. */
interface Starting {
  readonly name: string;
  readonly ended: () => boolean;
  /** The end of what it printed. */
  readonly tail: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/**
 * Waits until a program has written its ready file; a program that takes too long is killed.
 * @param isReady whether a value is the content of its ready file
 * @throws Error the end of its output, when it ended early or took longer than a minute
 */
export async function untilReadyFile<T>(
  file: string,
  part: Starting,
  isReady: (value: unknown) => value is T,
  signal?: AbortSignal,
): Promise<T> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until && !part.ended()) {
    signal?.throwIfAborted();
    const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    if (isReady(value)) return value;
    await delay(POLL_MS);
  }
  const why = part.ended() ? 'has ended' : 'is not ready after 60 s';
  part.kill('SIGKILL');
  throw new Error(`${part.name} ${why}:\n${part.tail()}`);
}
