import { DatabaseSync } from 'node:sqlite';
import { textOf } from '../sqlite/columns.ts';
import { failureDetail, hasPrimaryCode, SQLITE_CORRUPT } from '../sqlite/sqlite-error.ts';
import { Findings, type FoundFaults } from './findings.ts';
import { LogWalk, type WalkedLog } from './log-walk.ts';

/** Result of a check of a whole ledger. */
export interface CheckedFile {
  /** Entries of the log that were read. */
  readonly size: number;
  readonly faults: FoundFaults;
}

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** SQLite's own check of one table and its indexes. */
function checkTable(db: DatabaseSync, table: string, findings: Findings): void {
  const rows = db.prepare(`PRAGMA quick_check(${quoted(table)})`).all();
  for (const row of rows) {
    const text = textOf(row, 'quick_check');
    if (text !== 'ok') findings.add('file', `table ${table}: ${text}`);
  }
}

async function checkParts(
  db: DatabaseSync,
  log: WalkedLog,
  { findings, rest }: { readonly findings: Findings; readonly rest: () => Promise<void> },
): Promise<CheckedFile> {
  for (const row of db.prepare(TABLES).all()) {
    checkTable(db, textOf(row, 'name'), findings);
    await rest();
  }
  const walk = new LogWalk(db, log);
  while (!(await walk.step())) await rest();
  return { size: walk.size, faults: { ...findings.found(), ...walk.findings.found() } };
}

/**
 * Reads a whole ledger on a read-only connection of its own: the structure of each table as `PRAGMA quick_check` sees it,
 * then the log, its checkpoints and its receipts. No read transaction lasts longer than one table or one step.
 * @param rest called between two pieces of work
 * @throws the error of SQLite, except for a damaged file: that is a fault
 */
export async function checkFile(file: string, log: WalkedLog, rest: () => Promise<void>): Promise<CheckedFile> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const findings = new Findings();
  try {
    return await checkParts(db, log, { findings, rest });
  } catch (error) {
    const isDamage = hasPrimaryCode(error, SQLITE_CORRUPT) || error instanceof TypeError;
    if (!isDamage) throw error;
    findings.add('file', failureDetail(error));
    return { size: 0, faults: findings.found() };
  } finally {
    db.close();
  }
}
