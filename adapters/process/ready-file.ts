import { readFile, rm } from 'node:fs/promises';
import { replacePrivate } from '../private-file/private-file.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Clock } from '../time/clock.ts';
import { until } from '../time/until.ts';
import { StartError } from './start-error.ts';

/** Facts that a program writes for scripts and tests. */
export interface ReadyFacts {
  /** Members of the file. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Names of what the program still waits for; empty when it is ready. Absent: it is ready. */
  readonly missing?: () => readonly string[];
}

const POLL_MS = 50;

const textOf = ({ facts }: ReadyFacts): string => `${JSON.stringify(facts)}\n`;

async function checked(path: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new StartError(`--ready-file ${path}: the file can't be written (${errorCode(error) ?? String(error)})`, 1, {
      cause: error,
    });
  }
}

/** The file of an earlier run would name an address that is no longer in use. @throws StartError */
export const removeReadyFile = (path: string): Promise<void> => checked(path, rm(path, { force: true }));

/**
 * Writes the ready file, mode 0600, once `missing` is empty; after an abort it is not written.
 * @throws StartError it can't be written
 */
export async function writeReadyFile(
  path: string,
  ready: ReadyFacts,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<void> {
  const isReady = (): boolean => ready.missing === undefined || ready.missing().length === 0;
  await until(isReady, clock, { everyMs: POLL_MS, ref: false }, signal);
  if (!signal.aborted) await checked(path, replacePrivate(path, textOf(ready)));
}

/**
 * Removes the file when the program has ended, unless the next run has already written its own. Never fails: a clean
 * stop is no error because the file stays.
 */
export async function removeOwnReadyFile(path: string, ready: ReadyFacts): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === textOf(ready)) await rm(path, { force: true }).catch(() => undefined);
}
