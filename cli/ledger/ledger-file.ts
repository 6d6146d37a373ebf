import { access, constants, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LedgerError } from '../../adapters/ledger/port.ts';
import { TargetExists, TargetInUse } from '../../adapters/ledger/sqlite-copy/copy-error.ts';
import type { OnProgress } from '../../adapters/ledger/sqlite-copy/copy-state.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { EXIT, Failure, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';

/** The ledger file in `--data DIR`, where the API keeps it. */
export const ledgerFile = (data: string): string => join(resolve(data), 'ledger', 'ledger.sqlite');

const MEGA = 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / MEGA).toFixed(1)} MiB`;

/** Time between two lines of progress. */
const EVERY_MS = 2000;

/** Reports the progress of a slow copy. */
export function progress(io: Io): OnProgress {
  let printedAt = io.clock.monotonic();
  return (done, total) => {
    if (io.clock.monotonic() - printedAt < EVERY_MS) return;
    printedAt = io.clock.monotonic();
    io.err(`copied ${Math.floor((100 * done) / Math.max(1, total))} %\n`);
  };
}

async function isReadableFile(path: string): Promise<boolean> {
  await access(path, constants.R_OK);
  return (await stat(path)).isFile();
}

/** @throws Failure the file can't be read */
export async function checkReadable(path: string, next: string): Promise<void> {
  let isFile: boolean;
  try {
    isFile = await isReadableFile(path);
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'there is no such file' : 'it may not be read';
    throw invalid(`${path}: ${reason}`, next);
  }
  if (!isFile) throw invalid(`${path}: it is no file`, next);
}

/** @throws Failure no file can be created in the folder */
export async function checkFolder(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'there is no such folder' : 'no file may be made in it';
    throw invalid(`${path}: ${reason}`, 'name a FILE in another folder');
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

// Commits of the API during the copy stay in its WAL until the copy is done.
const SPARE = 1.1;

/** A copy beside the ledger uses space that a running API needs. @throws Failure there is not enough space for both */
export async function checkFreeSpace(file: string, target: string): Promise<void> {
  const needed = SPARE * ((await sizeOf(file)) + (await sizeOf(`${file}-wal`)));
  const { bavail, bsize } = await statfs(dirname(target));
  if (bavail * bsize >= needed) return;
  const found = `the copy needs ${megabytes(needed)}, the volume of ${target} has ${megabytes(bavail * bsize)} free`;
  throw invalid(found, 'enlarge the volume, or name a FILE on another one');
}

/** Names of temporary copies beside the ledger, for a standard stream; a name holds the process that made the copy. */
export const temporaryCopies = {
  out: (file: string): string => `${file}.outgoing-${process.pid}`,
  in: (file: string): string => `${file}.incoming-${process.pid}`,
} as const;
const PASSING = /^ledger\.sqlite\.(?:incoming|outgoing)-(\d+)(?:\.\d+\.tmp)?(?:-journal|-wal|-shm)?$/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Removes temporary copies of killed processes: each is as large as the ledger, on its volume. */
export async function removeLeftoverCopies(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const pid = Number(PASSING.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isAlive(pid)) await rm(join(dirname(file), name), { force: true });
  }
}

/** Source and target of a copy. */
interface Copied {
  readonly from: string;
  readonly to: string;
  /** What to do when the target exists already. */
  readonly ifThere: string;
}

/** Copies a ledger. @throws Failure the error of `work`, in words of the command line */
export async function copyLedger<T>({ from, to, ifThere }: Copied, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TargetExists) throw invalid(`${error.message}: it was not touched`, ifThere);
    if (error instanceof TargetInUse) throw invalid(`${error.message}: it was not touched`, 'name another file');
    throw ledgerFailure(error, `${from} was not copied to ${to}: `);
  }
}

/** Puts an error of a ledger in words of the command line; other errors are returned as they are. */
export function ledgerFailure(error: unknown, prefix = ''): unknown {
  if (!(error instanceof LedgerError)) return error;
  return error.code === 'ledger-locked'
    ? new Failure(EXIT.unreachable, error.message)
    : invalid(`${prefix}${error.message}`);
}
