import { link, lstat, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../../../core/errors/error-code.ts';
import { syncFolder } from '../../private-file/private-file.ts';
import { copyError, TargetExists, TargetInUse } from './copy-error.ts';
import { checkCopy, type LedgerFacts } from './check-copy.ts';
import { copyState, isThere, partsOf, removeParts, syncFile, type OnProgress } from './copy-state.ts';

/** A copy that was checked and is durable. */
export interface Backup extends LedgerFacts {
  readonly bytes: number;
}

export interface BackupOptions {
  /** Path of the ledger; its process may be running. */
  readonly file: string;
  readonly target: string;
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean;
  readonly onProgress: OnProgress;
}

/** Renames the finished file to its target. @throws TargetExists */
async function publish(made: string, target: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(made, target);
  try {
    await link(made, target); // unlike a rename it never replaces a file
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new TargetExists(`${target} exists`, { cause: error });
    throw error;
  }
  return rm(made);
}

/** A rename replaces more than files: as root it would replace `/dev/null` too. */
async function checkKind(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return;
  throw new TargetInUse(`${target} is no file`);
}

/** If its file were replaced, a running process would continue to write to a file without a name. */
async function checkTarget({ file, target, overwrite }: BackupOptions): Promise<void> {
  await checkKind(target);
  if (!(await isThere(target))) return;
  if (!overwrite) throw new TargetExists(`${target} exists`);
  const { dev, ino } = await stat(target);
  for (const path of [...partsOf(file), `${file}.lock`]) {
    const own = await stat(path).catch(() => undefined);
    if (own?.dev === dev && own.ino === ino) throw new TargetInUse(`${target} belongs to the ledger itself`);
  }
}

/**
 * Copies a ledger while it is in use. Afterwards the target is the whole copy, checked and synced, or is unchanged.
 * @throws TargetExists
 * @throws TargetInUse
 * @throws LedgerError `ledger-version`; `ledger-unavailable` the ledger or its copy can't be read
 */
export async function backupLedger(options: BackupOptions, signal: AbortSignal): Promise<Backup> {
  const { file, target, overwrite, onProgress } = options;
  const made = `${target}.${process.pid}.tmp`;
  try {
    await checkTarget(options);
    await copyState({ file, made, onProgress }, signal);
    const facts = checkCopy(made);
    await syncFile(made);
    const { size: bytes } = await stat(made);
    await publish(made, target, overwrite);
    await syncFolder(dirname(resolve(target)));
    return { ...facts, bytes };
  } catch (error) {
    throw copyError(error, signal);
  } finally {
    await removeParts(made);
  }
}
