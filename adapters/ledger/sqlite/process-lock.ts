import { DatabaseSync } from 'node:sqlite';
import { processText } from '../../process/process-text.ts';
import { LedgerError } from '../port.ts';
import { integerOf } from './columns.ts';
import { hasPrimaryCode, SQLITE_BUSY, SQLITE_FULL } from './sqlite-error.ts';

/** A data folder that this process holds until `release` or until the process ends, however it ends. */
export interface ProcessLock {
  readonly release: () => void;
}

function holderOf(db: DatabaseSync): string {
  const row = db.prepare('SELECT pid FROM holder WHERE id = 1').get();
  return row === undefined ? 'another process' : processText(integerOf(row, 'pid'));
}

/** Readers pass a RESERVED lock, so a second process reads the pid of the first from the table. */
function refusal(db: DatabaseSync, file: string, cause: unknown): LedgerError {
  let holder = 'another process';
  try {
    holder = holderOf(db);
  } catch {
    // The first process is still writing its pid: the pid is only a help, not the lock.
  }
  return new LedgerError(
    'ledger-locked',
    `the ledger ${file} is in use by ${holder}: stop it, or use another data folder`,
    { cause },
  );
}

/** On a full disk the pid can't be written; the ledger can still be read. */
function notePid(db: DatabaseSync, pid: number): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec('CREATE TABLE IF NOT EXISTS holder(id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER NOT NULL) STRICT');
    db.prepare('INSERT OR REPLACE INTO holder(id, pid) VALUES (1, ?)').run(pid);
    db.exec('COMMIT');
  } catch (error) {
    if (!hasPrimaryCode(error, SQLITE_FULL)) throw error;
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function take(db: DatabaseSync, pid: number): void {
  // The lock guards against a second process, not against a power failure, so no sync is needed here.
  db.exec('PRAGMA synchronous = OFF');
  notePid(db, pid);
  db.exec('BEGIN IMMEDIATE');
}

/**
 * Locks a ledger for this process. The lock is an open write transaction on a database beside the ledger. The kernel
 * drops it with the process, so a `kill -9` leaves no stale lock. A lock file with a pid would not show whether its
 * process still runs. Not covered: file systems without POSIX locks (some network ones).
 * @throws LedgerError `ledger-locked`, at once
 */
export function lockForProcess(file: string, pid: number): ProcessLock {
  const db = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    take(db, pid);
  } catch (error) {
    const thrown = hasPrimaryCode(error, SQLITE_BUSY) ? refusal(db, file, error) : error;
    db.close();
    throw thrown;
  }
  return { release: () => db.close() };
}
