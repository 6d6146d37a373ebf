import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LedgerError } from '../../adapters/ledger/port.ts';
import { TargetExists, TargetInUse } from '../../adapters/ledger/sqlite-copy/copy-error.ts';
import type { OnProgress } from '../../adapters/ledger/sqlite-copy/copy-state.ts';
import { codeOf, EXIT, Failure, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';

/** Of `--data DIR`, as the API lays it out. */
export const ledgerFile = (data: string): string => join(resolve(data), 'ledger', 'ledger.sqlite');

const MEGA = 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / MEGA).toFixed(1)} MiB`;

/** Between two lines of progress. */
const EVERY_MS = 2000;

/** Tells of a copy that takes its time. */
export function progress(io: Io): OnProgress {
  let toldAt = io.clock.monotonic();
  return (done, total) => {
    if (io.clock.monotonic() - toldAt < EVERY_MS) return;
    toldAt = io.clock.monotonic();
    io.err(`copied ${Math.floor((100 * done) / Math.max(1, total))} %\n`);
  };
}

/** @throws Failure nobody can read it */
export async function checkReadable(path: string, next: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : 'it may not be read';
    throw invalid(`${path}: ${reason}`, next);
  }
}

/** @throws Failure no file can be made in it */
export async function checkFolder(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such folder' : 'no file may be made in it';
    throw invalid(`${path}: ${reason}`, 'name a FILE in another folder');
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

// What the API commits meanwhile stays in its WAL until the copy is made.
const SPARE = 1.1;

/** A copy beside the ledger takes the room that a running API writes into. @throws Failure there is not enough for both */
export async function checkRoom(file: string): Promise<void> {
  const needed = SPARE * ((await sizeOf(file)) + (await sizeOf(`${file}-wal`)));
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize >= needed) return;
  const found = `the copy needs ${megabytes(needed)} beside the ledger, its volume has ${megabytes(bavail * bsize)} free`;
  throw invalid(found, 'enlarge the volume, or name a FILE on another one');
}

/** Runs what works on ledger files. @throws Failure what it threw, in words of the command line */
export async function onLedger<T>(work: () => Promise<T>, ifThere: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TargetExists) throw invalid(`${error.message}: it was not touched`, ifThere);
    if (error instanceof TargetInUse) throw invalid(`${error.message}: it was not touched`, 'name another file');
    if (!(error instanceof LedgerError)) throw error;
    if (error.code === 'ledger-locked') throw new Failure(EXIT.unreachable, error.message);
    throw invalid(error.message);
  }
}
