import { textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableSchema } from './table.ts';

/** Fixed for the life of a ledger (design.md §4): another issuer needs another ledger. */
export interface LedgerIdentity {
  readonly issuer: string;
  readonly logOrigin: string;
}

const schema: TableSchema = {
  1: `CREATE TABLE identity(id INTEGER PRIMARY KEY CHECK (id = 1), issuer TEXT NOT NULL, log_origin TEXT NOT NULL) STRICT;`,
};

/** Read and written when a ledger is opened; the port gives it as `identity`. */
export const identityTable = { schema, port: nothing, writers: nothing };

/** Undefined in a new ledger. */
export function storedIdentity(db: Connection): LedgerIdentity | undefined {
  const row = db.prepare('SELECT issuer, log_origin FROM identity').get();
  return row === undefined ? undefined : { issuer: textOf(row, 'issuer'), logOrigin: textOf(row, 'log_origin') };
}

export function putIdentity(db: Connection, { issuer, logOrigin }: LedgerIdentity): void {
  db.prepare('INSERT INTO identity(id, issuer, log_origin) VALUES (1, ?, ?)').run(issuer, logOrigin);
}

export function putLogOrigin(db: Connection, logOrigin: string): void {
  db.prepare('UPDATE identity SET log_origin = ?').run(logOrigin);
}
