import type { DatabaseSync } from 'node:sqlite';
import { TABLES } from '../../adapters/ledger/tables/tables.ts';

/**
 * Makes of a ledger file what a program of an earlier version would have left: without the tables that came
 * later, and with the indexes that went.
 * @param version of its schema, 1 or later
 */
export function makeOlder(db: DatabaseSync, version: number): void {
  const later = TABLES.schemas.flatMap((schema) => Object.entries(schema).filter(([step]) => Number(step) > version));
  // Triggers first: they write tables that are dropped.
  for (const [, script] of later)
    for (const [, name] of script.matchAll(/CREATE TRIGGER (\w+)/g)) db.exec(`DROP TRIGGER ${String(name)}`);
  for (const [, script] of later)
    for (const [, name] of script.matchAll(/CREATE TABLE (\w+)/g)) db.exec(`DROP TABLE ${String(name)}`);
  const gone = new Set(
    later.flatMap(([, script]) => [...script.matchAll(/DROP INDEX (\w+)/g)].map(([, name]) => name)),
  );
  const earlier = TABLES.schemas.flatMap((schema) =>
    Object.entries(schema).filter(([step]) => Number(step) <= version),
  );
  for (const [, script] of earlier)
    for (const [index, name] of script.matchAll(/CREATE INDEX (\w+)[^;]*/g)) if (gone.has(name)) db.exec(index);
  db.prepare('UPDATE schema_version SET version = ?').run(version);
}
