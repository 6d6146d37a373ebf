import { LedgerError } from '../port.ts';

// Primary result codes (sqlite.org/rescode.html); the extended code has more in its upper bits.
export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

const DETAILS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'its file is locked',
  [SQLITE_READONLY]: 'its file or file system is read-only',
  [SQLITE_IOERR]: 'its disk reports an error',
  [SQLITE_CORRUPT]: 'its file is damaged',
  [SQLITE_FULL]: 'its disk is full',
  [SQLITE_CANTOPEN]: 'its file can not be opened',
  [SQLITE_NOTADB]: 'its file is no ledger',
};

function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

export const hasPrimaryCode = (error: unknown, code: number): boolean => primaryCode(error) === code;

/** Describes a failure for an operator; holds no content of a row. */
export function failureDetail(error: unknown): string {
  const detail = DETAILS[primaryCode(error) ?? -1];
  const text = error instanceof Error ? error.message : 'unknown';
  return detail === undefined ? text : `${detail} (${text})`;
}

/** Turns any error of a connection into a LedgerError; a LedgerError passes unchanged. */
export function ledgerError(error: unknown): unknown {
  if (error instanceof LedgerError || error instanceof RangeError) return error;
  return new LedgerError('ledger-unavailable', `the ledger failed: ${failureDetail(error)}`, { cause: error });
}
