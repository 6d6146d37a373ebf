import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf, textOf } from '../sqlite/columns.ts';
import type { RowResult, StoreRow } from '../sqlite/protocol.ts';
import { refused } from './run-rows.ts';

function prepareStore(db: DatabaseSync) {
  return {
    eraseExpired: db.prepare(
      `DELETE FROM idempotency WHERE rowid IN (
         SELECT rowid FROM idempotency WHERE expires_at < ? AND (answer IS NOT NULL OR NOT EXISTS (
           SELECT 1 FROM runs WHERE runs.run_id = idempotency.run_id AND state = 'started'))
         LIMIT ?)`,
    ),
    putManifest: db.prepare('INSERT INTO manifests(digest, jcs) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    putManifestTenant: db.prepare('INSERT INTO manifest_tenants(digest, tenant) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    putState: db.prepare(
      'INSERT INTO state(kind, key, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
    ),
    deleteState: db.prepare('DELETE FROM state WHERE kind = ? AND key = ?'),
    lease: db.prepare('SELECT holder, epoch, expires FROM leases WHERE name = ?'),
    putLease: db.prepare(
      `INSERT INTO leases(name, holder, epoch, expires) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, expires = excluded.expires`,
    ),
    // The row stays: its epoch never falls. Nobody is called ''.
    releaseLease: db.prepare(`UPDATE leases SET holder = '', expires = 0 WHERE name = ? AND holder = ?`),
  } satisfies Record<string, StatementSync>;
}

/** What is kept beside runs and the log: answers to forget, manifests, state, leases. */
export class StoreRows {
  readonly #sql: ReturnType<typeof prepareStore>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareStore(db);
  }

  apply(row: StoreRow): RowResult {
    switch (row[0]) {
      case 'erase':
        return Number(this.#sql.eraseExpired.run(row[1], row[2]).changes);
      case 'putManifest':
        return this.#putManifest(row[1], row[2], row[3]);
      case 'putState':
        this.#sql.putState.run(row[1], row[2], row[3]);
        return null;
      case 'deleteState':
        this.#sql.deleteState.run(row[1], row[2]);
        return null;
      case 'acquireLease':
        return this.#acquireLease(row[1], row[2], row[3], row[4]);
      case 'releaseLease':
        this.#sql.releaseLease.run(row[1], row[2]);
        return null;
      default:
        return row satisfies never;
    }
  }

  #putManifest(tenant: string, digest: string, jcs: string): RowResult {
    this.#sql.putManifest.run(digest, jcs);
    this.#sql.putManifestTenant.run(digest, tenant);
    return null;
  }

  #acquireLease(name: string, holder: string, now: number, ttlMs: number): RowResult {
    if (!Number.isSafeInteger(now + ttlMs)) return refused('a time is no whole number of milliseconds');
    const row = this.#sql.lease.get(name);
    const held = row !== undefined && textOf(row, 'holder') === holder;
    if (row !== undefined && !held && integerOf(row, 'expires') > now) return null;
    const epoch = (row === undefined ? 0 : integerOf(row, 'epoch')) + (held ? 0 : 1);
    this.#sql.putLease.run(name, holder, epoch, now + ttlMs);
    return epoch;
  }
}
