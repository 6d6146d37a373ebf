import { link, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '../../private-file/private-file.ts';
import { lockForProcess } from '../sqlite/process-lock.ts';
import { copyError, TargetExists } from './copy-error.ts';
import { checkCopy, type LedgerFacts } from './check-copy.ts';
import { copyState, isThere, partsOf, removeParts, syncFile, type OnProgress } from './copy-state.ts';

export interface RestoreOptions {
  readonly source: string;
  /** The source is moved, not copied: no other process has it, and it lies on the volume of the ledger. */
  readonly consume?: boolean;
  /** Path of the ledger; no process may have it open. */
  readonly file: string;
  /** An existing ledger is put aside under this suffix; absent: the restore is refused. */
  readonly asideAs?: string;
  readonly onProgress: OnProgress;
}

export interface Restored extends LedgerFacts {
  /** Path of the earlier ledger; undefined: there was no ledger. */
  readonly aside: string | undefined;
}

/**
 * Moves the last commits from the WAL into the file, so that the file alone is the ledger. A damaged ledger stays as it
 * is.
 */
function foldWal(file: string): void {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Its `-wal` is put aside with it, under the name that SQLite looks for.
  } finally {
    db?.close();
  }
}

/**
 * Gives the existing ledger a second name. It keeps its own name until the restored ledger replaces it, so a crash
 * leaves one of the two. A remaining `-wal` would be read into the restored file, so it is moved.
 * @throws TargetExists a file exists under the new name
 */
async function putAside(file: string, aside: string): Promise<void> {
  for (const path of partsOf(aside)) if (await isThere(path)) throw new TargetExists(`${path} exists`);
  if (await isThere(file)) {
    foldWal(file);
    await link(file, aside);
  }
  const [, ...beside] = partsOf(file);
  const [, ...asides] = partsOf(aside);
  for (const [index, path] of beside.entries()) {
    if (await isThere(path)) await rename(path, asides[index] ?? '');
  }
}

/** Finds any part of a ledger: even a `-wal` alone has commits. */
async function partThere(file: string): Promise<string | undefined> {
  for (const path of partsOf(file)) if (await isThere(path)) return path;
  return undefined;
}

/** Puts the source at `made`, where it is checked before it is moved into place. */
async function take({ source, consume, onProgress }: RestoreOptions, made: string, signal: AbortSignal): Promise<void> {
  if (consume !== true) return copyState({ file: source, made, onProgress }, signal);
  await removeParts(made); // left by a killed restore: its `-wal` would be read into this file
  return rename(source, made);
}

async function replace(options: RestoreOptions, signal: AbortSignal): Promise<Restored> {
  const { file, asideAs } = options;
  const there = await partThere(file);
  if (there !== undefined && asideAs === undefined) throw new TargetExists(`${there} exists`);
  const made = `${file}.restoring`;
  try {
    await take(options, made, signal);
    const facts = checkCopy(made);
    await syncFile(made);
    const aside = there === undefined ? undefined : `${file}.${asideAs ?? ''}`;
    if (aside !== undefined) await putAside(file, aside);
    await rename(made, file);
    await syncFolder(dirname(file));
    return { ...facts, aside };
  } finally {
    await removeParts(made);
  }
}

/**
 * Readable by its owner only. An existing file is never opened, because closing it would drop locks of this process
 * (POSIX).
 */
async function makeLockFile(path: string): Promise<void> {
  if (!(await isThere(path))) await (await open(path, 'ax', 0o600)).close();
}

/**
 * Replaces a ledger by a backup, which is checked before any file is moved. At every moment the path holds the old or
 * the new ledger.
 * @throws TargetExists there is a ledger and no `asideAs`, or a file exists under the name to put it aside
 * @throws LedgerError `ledger-locked` a process uses it; `ledger-version`; `ledger-unavailable` the source is not a
 *   backup
 */
export async function restoreLedger(options: RestoreOptions, signal: AbortSignal): Promise<Restored> {
  await mkdir(dirname(options.file), { recursive: true, mode: 0o700 });
  try {
    await makeLockFile(`${options.file}.lock`);
    const lock = lockForProcess(options.file, process.pid);
    try {
      return await replace(options, signal);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw copyError(error, signal);
  }
}
