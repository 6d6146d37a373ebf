import { DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../port.ts';
import { checkHead } from '../sqlite-writer/check-head.ts';
import { checkVersion, storedVersion } from '../sqlite-writer/schema.ts';
import { textOf } from '../sqlite/columns.ts';
import { ledgerError } from '../sqlite/sqlite-error.ts';
import { newestCheckpoint } from '../tables/checkpoints.ts';
import { storedIdentity, type LedgerIdentity } from '../tables/identity.ts';
import { INCIDENTS_VERSION, incidentsFit } from '../tables/incidents.ts';
import { logHead } from '../tables/log.ts';
import { VIOLATIONS_VERSION, violationsFit } from '../tables/policy-violations.ts';

/** Contents of a ledger file. */
export interface LedgerFacts extends LedgerIdentity {
  /** Entries in the log. */
  readonly treeSize: number;
  /** Entries under its newest checkpoint. */
  readonly signedSize: number;
}

const notALedger = (file: string): LedgerError => new LedgerError('ledger-unavailable', `${file} is no ledger`);

/** @throws LedgerError `ledger-version` a newer program wrote it; `ledger-unavailable` the file is not a ledger */
export function checkSchema(db: DatabaseSync, file: string): void {
  const version = storedVersion(db);
  if (version === undefined) throw notALedger(file);
  checkVersion(version);
}

function factsOf(db: DatabaseSync, file: string): LedgerFacts {
  const identity = storedIdentity(db);
  if (identity === undefined) throw notALedger(file);
  return { ...identity, treeSize: logHead(db).size, signedSize: newestCheckpoint(db)?.size ?? 0 };
}

/** Rows that name an entry of the log name their own. */
function checkEntries(db: DatabaseSync, file: string): void {
  const version = storedVersion(db) ?? 0;
  if (version >= VIOLATIONS_VERSION && !violationsFit(db))
    throw new LedgerError('ledger-unavailable', `${file} is damaged: its violations are of another log`);
  if (version >= INCIDENTS_VERSION && !incidentsFit(db))
    throw new LedgerError('ledger-unavailable', `${file} is damaged: its incidents are of another log`);
}

function checkWhole(db: DatabaseSync, file: string): void {
  const [row, ...others] = db.prepare('PRAGMA integrity_check(3)').all();
  if (others.length > 0 || row === undefined || textOf(row, 'integrity_check') !== 'ok')
    throw new LedgerError('ledger-unavailable', `${file} is damaged: SQLite's integrity check fails`);
}

/**
 * Checks every page of a copy that no other process has open. Leaves it as one file that needs no other file beside it.
 * @throws LedgerError `ledger-version`; `ledger-unavailable` not a ledger, damaged, or its log contradicts itself
 */
export function checkCopy(file: string): LedgerFacts {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    checkSchema(db, file);
    checkWhole(db, file);
    checkHead(db);
    checkEntries(db, file);
    const facts = factsOf(db, file);
    db.exec('PRAGMA journal_mode = DELETE');
    return facts;
  } catch (error) {
    throw ledgerError(error);
  } finally {
    db?.close();
  }
}

/** Reads the version of a ledger without changing the file. @throws LedgerError as `checkSchema` */
export function checkLedgerVersion(file: string): void {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    checkSchema(db, file);
  } catch (error) {
    throw ledgerError(error);
  } finally {
    db?.close();
  }
}
