import { chmod, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { syncFolder } from '../../private-file/private-file.ts';
import { ledgerError } from '../sqlite/sqlite-error.ts';
import { checkCopy, checkSchema, type LedgerFacts } from './check-copy.ts';

/** A copy that was checked and is durable. */
export interface Backup extends LedgerFacts {
  readonly bytes: number;
}

export interface BackupOptions {
  /** Of the ledger; its process may run. */
  readonly file: string;
  readonly target: string;
  /** Replaces a file that is there. */
  readonly overwrite: boolean;
  readonly onProgress: (done: number, total: number) => void;
}

/** The target is there already: it was not touched. */
export class TargetExists extends Error {}

// 8 MiB at a time.
const PAGES = 1024;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * Copies one state of the ledger. The open read transaction is that state: without it SQLite begins anew whenever the
 * running API commits, and never ends. The writer doesn't wait; its WAL grows until the copy is made.
 */
async function copyState(file: string, target: string, onProgress: BackupOptions['onProgress']): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    checkSchema(db, file);
    db.exec('BEGIN');
    db.prepare('SELECT size FROM log_head').get();
    await backup(db, target, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
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

/** Gives the finished file its name. @throws TargetExists */
async function publish(made: string, target: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(made, target);
  try {
    await link(made, target); // unlike a rename it never replaces a file
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new TargetExists(`${target} exists`, { cause: error });
    throw error;
  }
  return rm(made);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Copies a ledger while it is used. The target has the whole copy, checked and synced, or is as it was.
 * @throws TargetExists
 * @throws LedgerError `ledger-version`; `ledger-unavailable` the ledger or its copy can't be read
 */
export async function backupLedger({ file, target, overwrite, onProgress }: BackupOptions): Promise<Backup> {
  if (!overwrite && (await isThere(target))) throw new TargetExists(`${target} exists`);
  const made = `${target}.${process.pid}.tmp`;
  try {
    await copyState(file, made, onProgress);
    await chmod(made, 0o600);
    const facts = checkCopy(made);
    await syncFile(made);
    const { size: bytes } = await stat(made);
    await publish(made, target, overwrite);
    await syncFolder(dirname(resolve(target)));
    return { ...facts, bytes };
  } catch (error) {
    throw error instanceof TargetExists ? error : ledgerError(error);
  } finally {
    for (const path of [made, `${made}-journal`, `${made}-wal`, `${made}-shm`]) await rm(path, { force: true });
  }
}
