import type { StatementSync } from 'node:sqlite';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** An entry and its place in the log. */
export interface PlacedEntry {
  readonly index: number;
  /** JCS text. */
  readonly entry: string;
}

/** Where the `tier_change` entries of each Orb are, so that the log is not searched for them. */
interface TierChangePort {
  /** The last `limit` of them, the newest first. */
  readonly tierChanges: (orbId: string, limit: number) => Promise<readonly PlacedEntry[]>;
}

const schema: TableSchema = {
  4: `CREATE TABLE tier_changes(orb_id TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (orb_id, log_index)) STRICT, WITHOUT ROWID;`,
};

function tierChangePort({ prepare, read }: TableParts<never>): TierChangePort {
  const newest = prepare(
    `SELECT idx, entry FROM tier_changes JOIN log_entries ON idx = log_index
     WHERE orb_id = ? ORDER BY log_index DESC LIMIT ?`,
  );
  return {
    tierChanges: (orbId, limit) =>
      read(() =>
        newest.all(orbId, limit).map((row) => ({
          index: integerOf(row, 'idx'),
          entry: blobOf(row, 'entry').toString('utf8'),
        })),
      ),
  };
}

/** Written with the log, by `sqlite-writer/fold-writer.ts`. */
export const tierChangeTable = { schema, port: tierChangePort, writers: nothing };

/** Orb and index. */
export const insertTierChange = (db: Connection): StatementSync =>
  db.prepare('INSERT INTO tier_changes(orb_id, log_index) VALUES (?, ?)');
