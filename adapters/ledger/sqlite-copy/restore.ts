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
  /** The source is moved, not copied: nobody else has it, and it lies on the volume of the ledger. */
  readonly consume?: boolean;
  /** Of the ledger; no process may have it. */
  readonly file: string;
  /** Puts a ledger that is there aside under this suffix; absent: refuses. */
  readonly asideAs?: string;
  readonly onProgress: OnProgress;
}

export interface Restored extends LedgerFacts {
  /** Where the ledger is that was there before; undefined: there was none. */
  readonly aside: string | undefined;
}

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

/**
 * Gives what is there a second name. The ledger keeps its own until the restored one replaces it: a crash leaves either.
 * A `-wal` that stayed would be read into the restored file: it goes.
 * @throws TargetExists something was put aside under that name before
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

/** Any part of a ledger: even a `-wal` alone has commits. */
async function partThere(file: string): Promise<string | undefined> {
  for (const path of partsOf(file)) if (await isThere(path)) return path;
  return undefined;
}

/** Everything that is checked and put in place lies at `made` then. */
async function take({ source, consume, onProgress }: RestoreOptions, made: string, signal: AbortSignal): Promise<void> {
  if (consume !== true) return copyState({ file: source, made, onProgress }, signal);
  await removeParts(made); // what a killed one left: a `-wal` would be read into this file
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

/** Readable by its owner only; one that is there is never opened, as that would drop locks of this process (POSIX). */
async function makeLockFile(path: string): Promise<void> {
  if (!(await isThere(path))) await (await open(path, 'ax', 0o600)).close();
}

/**
 * Puts a backup in the place of a ledger, checked before anything is moved. The place has the old or the new ledger at
 * every moment.
 * @throws TargetExists there is a ledger and nothing says where it goes, or something is there already
 * @throws LedgerError `ledger-locked` a process uses it; `ledger-version`; `ledger-unavailable` the backup is none
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
