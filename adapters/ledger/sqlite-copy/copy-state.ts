import { open, rm, stat } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { logHead } from '../tables/log.ts';
import { checkSchema } from './check-copy.ts';

/** Files that SQLite may keep beside a database, or reads into a database of that name. */
const BESIDE = ['-wal', '-shm', '-journal'] as const;

/** A ledger file, and everything that belongs to it. */
export const partsOf = (file: string): readonly string[] => [file, ...BESIDE.map((part) => `${file}${part}`)];

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Removes an unfinished copy. */
export async function removeParts(file: string): Promise<void> {
  for (const path of partsOf(file)) await rm(path, { force: true });
}

/** Called with the number of copied pages. */
export type OnProgress = (done: number, total: number) => void;

export interface StateCopy {
  /** Path of a ledger; a process may have it open. */
  readonly file: string;
  /** Path of the copy, mode 0600: it holds receipts and answers. An existing file is replaced. */
  readonly made: string;
  readonly onProgress: OnProgress;
}

// 8 MiB at a time.
const PAGES = 1024;

async function makePrivate(path: string): Promise<void> {
  await removeParts(path);
  await (await open(path, 'wx', 0o600)).close();
}

/**
 * Copies one state of a ledger, with the commits that stand in its WAL. The open read transaction fixes that state.
 * Without it SQLite restarts the copy whenever a running API commits, and never ends. The writer doesn't wait; its WAL
 * grows until the copy is made.
 */
export async function copyState({ file, made, onProgress }: StateCopy, signal: AbortSignal): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    checkSchema(db, file);
    await makePrivate(made);
    db.exec('BEGIN');
    logHead(db); // a transaction reads the state of its first query
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void => {
      signal.throwIfAborted();
      onProgress(totalPages - remainingPages, totalPages);
    };
    await backup(db, made, { rate: PAGES, progress });
    signal.throwIfAborted();
  } finally {
    db.close();
  }
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
