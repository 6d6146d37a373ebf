import { DatabaseSync } from 'node:sqlite';
import { isLaterOrigin } from '../../../core/merkle/log-origin.ts';
import { LedgerError } from '../port.ts';
import { integerOf, textOf } from '../sqlite/columns.ts';
import type { OnUpgrading } from '../sqlite/protocol.ts';
import { retireCheckpoints } from '../tables/checkpoints.ts';
import { putIdentity, putLogOrigin, storedIdentity, type LedgerIdentity } from '../tables/identity.ts';
import { FOLD_VERSION } from '../tables/reputation.ts';
import { OPEN_RUNS_VERSION } from '../tables/runs.ts';
import { TABLES } from '../tables/tables.ts';
import { USAGE_VERSION } from '../tables/tenant-usage.ts';
import { countUsage } from './count-usage.ts';
import { foldLog } from './fold-log.ts';

/** The version that this program writes, and the highest that it reads. Each table has its scripts by version. */
export const SCHEMA_VERSION = Math.max(...TABLES.schemas.flatMap((schema) => Object.keys(schema).map(Number)));

/** Brings every table from the version before to this one: the scripts of all tables, in the order of their list. */
const migration = (version: number): string => TABLES.schemas.map((schema) => schema[version] ?? '').join('\n');

function prepareFile(db: DatabaseSync, file: string): void {
  // 8 KiB pages hold four receipts each; takes effect before the first table only (performance.md §1.1).
  db.exec('PRAGMA page_size = 8192');
  const mode = db.prepare('PRAGMA journal_mode = WAL').get() ?? {};
  if (textOf(mode, 'journal_mode') !== 'wal') {
    throw new LedgerError('ledger-unavailable', `the file system of ${file} has no shared memory: use a local disk`);
  }
  db.exec('PRAGMA synchronous = FULL');
  // The writer makes checkpoints itself, after it has answered.
  db.exec('PRAGMA wal_autocheckpoint = 0');
  // Deleted answers are overwritten where that costs no further page.
  db.exec('PRAGMA secure_delete = FAST');
  db.exec('PRAGMA cache_size = -65536');
}

/** Schema version of a file; undefined: no program made a ledger of it. */
export function storedVersion(db: DatabaseSync): number | undefined {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`).get();
  const row = table && db.prepare('SELECT version FROM schema_version WHERE id = 1').get();
  return row && integerOf(row, 'version');
}

/**
 * @throws LedgerError `ledger-version`: a program must not change a ledger that a newer one wrote;
 *   `ledger-unavailable`: no version
 */
export function checkVersion(version: number): void {
  if (version < 0) throw new LedgerError('ledger-unavailable', `schema version ${version}: its file is damaged`);
  if (version <= SCHEMA_VERSION) return;
  const detail = `this ledger has schema version ${version}, this program knows versions up to ${SCHEMA_VERSION}`;
  const advice = 'use the version that wrote it or a later one, or restore a backup from before the upgrade';
  throw new LedgerError('ledger-version', `${detail}: a newer program wrote it; ${advice}`);
}

function migrate(db: DatabaseSync, onUpgrading: OnUpgrading): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS schema_version(id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT',
  );
  const version = storedVersion(db) ?? 0;
  checkVersion(version);
  for (let next = version + 1; next <= SCHEMA_VERSION; next += 1) {
    if (next === OPEN_RUNS_VERSION && version > 0) onUpgrading({ work: 'runs' });
    db.exec(migration(next));
    db.prepare('INSERT OR REPLACE INTO schema_version(id, version) VALUES (1, ?)').run(next);
  }
  if (version < USAGE_VERSION) countUsage(db, onUpgrading);
  if (version < FOLD_VERSION) foldLog(db, onUpgrading);
}

/** The root signed keys with a later origin (`orb ledger adopt`): the entries stay, and are signed again under it. */
function beginOrigin(db: DatabaseSync, past: string, origin: string): void {
  retireCheckpoints(db, past);
  putLogOrigin(db, origin);
}

function claimIdentity(db: DatabaseSync, { issuer, logOrigin }: LedgerIdentity): void {
  const stored = storedIdentity(db);
  if (stored === undefined) {
    putIdentity(db, { issuer, logOrigin });
    return;
  }
  if (stored.issuer === issuer && stored.logOrigin === logOrigin) return;
  if (stored.issuer === issuer && isLaterOrigin(logOrigin, stored.logOrigin)) {
    beginOrigin(db, stored.logOrigin, logOrigin);
    return;
  }
  const detail = `this ledger belongs to the issuer ${stored.issuer} with the log ${stored.logOrigin}`;
  const next =
    stored.issuer === issuer && isLaterOrigin(stored.logOrigin, logOrigin)
      ? 'these keys are from before orb ledger adopt: restore the newer ones'
      : 'another issuer needs another ledger';
  throw new LedgerError('ledger-identity', `${detail}, not to ${issuer} with ${logOrigin}: ${next}`);
}

/**
 * Opens the writer's connection: prepares the file, applies every missing migration and fixes the identity. All of it
 * is one transaction: a crash leaves the file as it was.
 * @param onUpgrading called now and then while an older ledger is brought up to date
 * @throws LedgerError `ledger-version`, `ledger-identity`
 */
export function openWriterDatabase(
  file: string,
  identity: LedgerIdentity,
  onUpgrading: OnUpgrading = () => undefined,
): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    prepareFile(db, file);
    db.exec('BEGIN IMMEDIATE');
    migrate(db, onUpgrading);
    claimIdentity(db, identity);
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db.close(); // rolls back
    throw error;
  }
}
