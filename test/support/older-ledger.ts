import type { DatabaseSync } from 'node:sqlite';
import { TABLES } from '../../adapters/ledger/tables/tables.ts';

const CREATED = /CREATE (TABLE|INDEX) (\w+)[^;]*/g;
const DROPPED = /DROP (?:TABLE|INDEX) (\w+)/g;
const RENAMED = /ALTER TABLE (\w+) RENAME/g;

/** Tables that were made again since, and the columns of their earlier form. */
const FORMER_COLUMNS: Readonly<Record<string, string>> = {
  runs: "run_id, tenant, 'started', started_at, deadline_at, owner, seed",
};

const namesIn = (scripts: readonly string[], pattern: RegExp): ReadonlySet<string> =>
  new Set(scripts.flatMap((script) => [...script.matchAll(pattern)].map((match) => String(match[1]))));

/**
 * Makes of a ledger file what a program of an earlier version would have left: without the tables that came
 * later, and with the tables and indexes that went.
 * @param version of its schema, 1 or later
 */
export function makeOlder(db: DatabaseSync, version: number): void {
  const steps = TABLES.schemas.flatMap((schema) =>
    Object.entries(schema).map(([step, script]) => ({ step: Number(step), script })),
  );
  const later = steps.filter(({ step }) => step > version).map(({ script }) => script);
  const earlier = steps.filter(({ step }) => step <= version).map(({ script }) => script);
  const renamed = namesIn(later, RENAMED);
  for (const name of renamed) db.exec(`CREATE TEMP TABLE kept_${name} AS SELECT * FROM ${name}`);
  // Triggers first: they write tables that are dropped.
  for (const name of namesIn(later, /CREATE TRIGGER (\w+)/g)) db.exec(`DROP TRIGGER ${name}`);
  for (const name of namesIn(later, /CREATE TABLE (\w+)/g)) db.exec(`DROP TABLE ${name}`);
  const gone = new Set([...namesIn(later, DROPPED), ...renamed]);
  const isGone = (kind: string, name: string, statement: string): boolean =>
    gone.has(name) || (kind === 'INDEX' && [...gone].some((table) => statement.includes(` ON ${table}(`)));
  for (const script of earlier)
    for (const [statement, kind, name] of script.matchAll(CREATED))
      if (isGone(String(kind), String(name), statement)) db.exec(statement);
  for (const name of renamed)
    db.exec(`INSERT INTO ${name} SELECT ${FORMER_COLUMNS[name] ?? '*'} FROM kept_${name}; DROP TABLE kept_${name}`);
  db.prepare('UPDATE schema_version SET version = ?').run(version);
}
