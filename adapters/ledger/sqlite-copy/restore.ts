import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '../../private-file/private-file.ts';
import { lockForProcess } from '../sqlite/process-lock.ts';
import { ledgerError } from '../sqlite/sqlite-error.ts';
import { syncFile, TargetExists } from './backup.ts';
import { checkCopy, type LedgerFacts } from './check-copy.ts';

export interface RestoreOptions {
  readonly source: string;
  /** Of the ledger; no process may have it. */
  readonly file: string;
  /** Puts a ledger that is there aside under this suffix; absent: refuses. */
  readonly asideAs?: string;
}

export interface Restored extends LedgerFacts {
  /** Where the ledger is that was there before; undefined: there was none. */
  readonly aside: string | undefined;
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Moves the last commits from the WAL into the file, so that the file alone is the ledger; a damaged one stays as it is. */
function foldWal(file: string): void {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Its `-wal` goes aside with it, under the name that SQLite looks for.
  } finally {
    db?.close();
  }
}

/** A `-wal` that stayed would be read into the restored file: it goes first. */
async function putAside(file: string, aside: string): Promise<void> {
  foldWal(file);
  for (const part of ['-wal', '-shm', '']) {
    if (await isThere(`${file}${part}`)) await rename(`${file}${part}`, `${aside}${part}`);
  }
}

async function replace({ source, file, asideAs }: RestoreOptions): Promise<Restored> {
  const there = await isThere(file);
  if (there && asideAs === undefined) throw new TargetExists(`${file} exists`);
  const made = `${file}.restoring`;
  try {
    await copyFile(source, made);
    await chmod(made, 0o600);
    const facts = checkCopy(made);
    await syncFile(made);
    const aside = there ? `${file}.${asideAs ?? ''}` : undefined;
    if (aside !== undefined) await putAside(file, aside);
    await rename(made, file);
    await syncFolder(dirname(file));
    return { ...facts, aside };
  } finally {
    for (const path of [made, `${made}-journal`, `${made}-wal`, `${made}-shm`]) await rm(path, { force: true });
  }
}

/**
 * Puts a backup in the place of a ledger, checked before anything is moved.
 * @throws TargetExists there is a ledger and nothing says where it goes
 * @throws LedgerError `ledger-locked` a process uses it; `ledger-version`; `ledger-unavailable` the backup is none
 */
export async function restoreLedger(options: RestoreOptions): Promise<Restored> {
  await mkdir(dirname(options.file), { recursive: true, mode: 0o700 });
  try {
    const lock = lockForProcess(options.file, process.pid);
    try {
      return await replace(options);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof TargetExists ? error : ledgerError(error);
  }
}
