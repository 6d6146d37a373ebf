import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LedgerError } from '../../adapters/ledger/port.ts';
import { TargetExists } from '../../adapters/ledger/sqlite-copy/backup.ts';
import { codeOf, EXIT, Failure, invalid } from '../io/failure.ts';

/** Of `--data DIR`, as the API lays it out. */
export const ledgerFile = (data: string): string => join(resolve(data), 'ledger', 'ledger.sqlite');

const MEGA = 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / MEGA).toFixed(1)} MiB`;

/** @throws Failure nobody can read it */
export async function checkReadable(path: string, next: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : 'it may not be read';
    throw invalid(`${path}: ${reason}`, next);
  }
}

/** Runs what works on ledger files. @throws Failure what it threw, in words of the command line */
export async function onLedger<T>(work: () => Promise<T>, ifThere: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TargetExists) throw invalid(`${error.message}: it was not touched`, ifThere);
    if (!(error instanceof LedgerError)) throw error;
    if (error.code === 'ledger-locked') throw new Failure(EXIT.unreachable, error.message);
    throw invalid(error.message);
  }
}
