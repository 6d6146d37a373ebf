import type { DatabaseSync } from 'node:sqlite';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import type { OnUpgrading } from '../sqlite/protocol.ts';
import { logHead } from '../tables/log.ts';
import { foldRows, FoldWriter } from './fold-writer.ts';

// Runs of so many entries are held in memory, and one line is logged for them: about 0.3 s.
const STEP = 100_000;

/**
 * Reads the whole log into the tables that follow from it, which must be empty. Call it in a transaction, when a ledger
 * comes from a program that had no such tables, or another fold (trust.md §5.2).
 */
export function foldLog(db: DatabaseSync, onUpgrading: OnUpgrading): void {
  const { size } = logHead(db);
  const fold = new FoldWriter(foldRows(db));
  for (const row of db.prepare('SELECT idx, entry FROM log_entries ORDER BY idx').iterate()) {
    const index = integerOf(row, 'idx');
    fold.fold(index, blobOf(row, 'entry').toString('utf8'));
    if ((index + 1) % STEP !== 0) continue;
    fold.store();
    onUpgrading({ work: 'log', done: index + 1, total: size });
  }
  fold.store();
}
