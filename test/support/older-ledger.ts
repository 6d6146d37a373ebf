import type { DatabaseSync } from 'node:sqlite';
import { TABLES } from '../../adapters/ledger/tables/tables.ts';

/**
 * Makes of a ledger file what a program of an earlier version would have left: without the tables that came later.
 * @param version of its schema, 1 or later
 */
export function makeOlder(db: DatabaseSync, version: number): void {
  const later = TABLES.schemas.flatMap((schema) => Object.entries(schema).filter(([step]) => Number(step) > version));
  for (const [, script] of later)
    for (const [, name] of script.matchAll(/CREATE TABLE (\w+)/g)) db.exec(`DROP TABLE ${String(name)}`);
  db.prepare('UPDATE schema_version SET version = ?').run(version);
}
