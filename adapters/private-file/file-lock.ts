import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Clock } from '../time/clock.ts';

const WAIT_MS = 50;
const GIVE_UP_MS = 5000;
// The work under a lock takes milliseconds: an older lock was left by a process that died.
const STALE_MS = 10_000;

/** Another process holds the lock. */
export class FileLockError extends Error {
  readonly code = 'file-locked';
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function dropStale(path: string, now: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && now - found.mtimeMs > STALE_MS) await rm(path, { force: true });
}

/**
 * Reads, changes and writes a file while no other process of ours does. The lock is `<path>.lock` beside it. Waits at
 * most 5 s; a lock older than 10 s is taken over.
 * @throws FileLockError another process holds it
 */
export async function withFileLock<T>(
  path: string,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const until = clock.monotonic() + GIVE_UP_MS;
  while (!(await take(lock))) {
    await dropStale(lock, clock.now());
    if (clock.monotonic() >= until)
      throw new FileLockError(`another process writes ${path}; if none does, remove ${lock}`);
    await clock.sleep(WAIT_MS, signal);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
