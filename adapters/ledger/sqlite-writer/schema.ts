import { DatabaseSync } from 'node:sqlite';
import { isLaterOrigin } from '../../../core/merkle/log-origin.ts';
import { LedgerError, type LedgerIdentity } from '../port.ts';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { LEASES_SQL } from '../tables/leases.ts';
import { MANIFESTS_SQL } from '../tables/manifests.ts';
import { STATE_SQL } from '../tables/state.ts';

/**
 * One script per version, never edited once released: a change is a new script at the end. Differences from the tables
 * of trust.md §2.3, all invisible through the port:
 * - no `log_pending`: the writer gives an entry its index in the transaction that writes it;
 * - a JWS is stored as payload and signature in bytes; its constant header is stored once (performance.md §1.1). Its
 *   SHA-256 stands in its log entry, and is computed wherever else it is needed;
 * - `log_tiles` holds 256 hashes a row, of the leaves and of each 8th level above; the levels between are computed.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE identity(id INTEGER PRIMARY KEY CHECK (id = 1), issuer TEXT NOT NULL, log_origin TEXT NOT NULL) STRICT;

  CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('started', 'closed')),
    started_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL, owner TEXT NOT NULL, seed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_open ON runs(deadline_at) WHERE state = 'started';

  CREATE TABLE jws_headers(id INTEGER PRIMARY KEY, header TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
    orb_id TEXT NOT NULL, outcome TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL
  ) STRICT;
  -- Orb and outcome stand in the index, so that a filtered page reads no receipt that it leaves out.
  CREATE INDEX receipts_newest ON receipts(tenant, issued_at, receipt_id, orb_id, outcome);

  CREATE TABLE log_entries(idx INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT;
  CREATE TABLE log_tiles(level INTEGER NOT NULL, idx INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, idx)) STRICT;
  CREATE TABLE log_head(id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL) STRICT;
  INSERT INTO log_head(id, size, edge) VALUES (1, 0, x'');
  CREATE TABLE log_checkpoints(size INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;

  ${MANIFESTS_SQL}

  CREATE TABLE idempotency(
    tenant TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, body_sha256 TEXT NOT NULL, run_id TEXT NOT NULL,
    answer BLOB, expires_at INTEGER NOT NULL, PRIMARY KEY (tenant, path, key)
  ) STRICT;
  CREATE INDEX idempotency_run ON idempotency(run_id);
  CREATE INDEX idempotency_expiry ON idempotency(expires_at);

  ${LEASES_SQL}
  ${STATE_SQL}
  `,
  // `published` is fed from the `publish` entries as they are appended: earlier programs did not write such entries.
  // The highest epoch of an object is a row of `leases` named `swap/UID` (trust.md §2.3: fencing rows among them).
  `
  CREATE TABLE swap_receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, orb_uid TEXT NOT NULL,
    swap_seq INTEGER NOT NULL, epoch INTEGER NOT NULL, orb_id TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL, UNIQUE (orb_uid, swap_seq)
  ) STRICT;
  CREATE TABLE published(orb_id TEXT NOT NULL, manifest_digest TEXT NOT NULL, PRIMARY KEY (orb_id, manifest_digest)) STRICT, WITHOUT ROWID;
  `,
  // Checkpoints signed under an origin that was given up: evidence, never served. The next origin signs the same sizes
  // again.
  `
  CREATE TABLE past_checkpoints(
    log_origin TEXT NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (log_origin, size)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** The version that this program writes, and the highest that it reads. */
export const SCHEMA_VERSION = MIGRATIONS.length;

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

function versionOf(db: DatabaseSync): number {
  db.exec(
    'CREATE TABLE IF NOT EXISTS schema_version(id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT',
  );
  const row = db.prepare('SELECT version FROM schema_version WHERE id = 1').get();
  return row === undefined ? 0 : integerOf(row, 'version');
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

function migrate(db: DatabaseSync): void {
  const version = versionOf(db);
  checkVersion(version);
  MIGRATIONS.slice(version).forEach((script, step) => {
    db.exec(script);
    db.prepare('INSERT OR REPLACE INTO schema_version(id, version) VALUES (1, ?)').run(version + step + 1);
  });
}

/** The root signed keys with a later origin (`orb ledger adopt`): the entries stay, and are signed again under it. */
function beginOrigin(db: DatabaseSync, past: string, origin: string): void {
  db.prepare(
    'INSERT OR IGNORE INTO past_checkpoints(log_origin, size, note) SELECT ?, size, note FROM log_checkpoints',
  ).run(past);
  db.exec('DELETE FROM log_checkpoints');
  db.prepare('UPDATE identity SET log_origin = ?').run(origin);
}

function claimIdentity(db: DatabaseSync, { issuer, logOrigin }: LedgerIdentity): void {
  const row = db.prepare('SELECT issuer, log_origin FROM identity').get();
  if (row === undefined) {
    db.prepare('INSERT INTO identity(id, issuer, log_origin) VALUES (1, ?, ?)').run(issuer, logOrigin);
    return;
  }
  const stored = { issuer: textOf(row, 'issuer'), logOrigin: textOf(row, 'log_origin') };
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
 * @throws LedgerError `ledger-version`, `ledger-identity`
 */
export function openWriterDatabase(file: string, identity: LedgerIdentity): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    prepareFile(db, file);
    db.exec('BEGIN IMMEDIATE');
    migrate(db);
    claimIdentity(db, identity);
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db.close(); // rolls back
    throw error;
  }
}
