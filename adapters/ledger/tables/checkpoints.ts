import type { StatementSync } from 'node:sqlite';
import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

export interface SignedCheckpoint {
  readonly size: number;
  /** C2SP signed note. */
  readonly note: string;
}

/** Checkpoints of the log. */
interface CheckpointPort {
  /** The newest published checkpoint: signed within 1 s of growth, served only after its commit. */
  readonly checkpoint: () => Promise<SignedCheckpoint | undefined>;
  /** The first checkpoint that covers `index`; undefined until such a checkpoint exists. */
  readonly checkpointCovering: (index: number) => Promise<SignedCheckpoint | undefined>;
}

/** Signs the log as it is in this transaction. */
type CheckpointRow = readonly [op: 'checkpoint'];

const schema: TableSchema = {
  1: `CREATE TABLE log_checkpoints(size INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;`,
  // Checkpoints signed under an origin that was given up: evidence, never served. The next origin signs the same sizes
  // again.
  3: `CREATE TABLE past_checkpoints(
    log_origin TEXT NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (log_origin, size)
  ) STRICT, WITHOUT ROWID;`,
};

const NEWEST = 'SELECT size, note FROM log_checkpoints ORDER BY size DESC LIMIT 1';

const checkpointOf = (row: Row | undefined): SignedCheckpoint | undefined =>
  row === undefined ? undefined : { size: integerOf(row, 'size'), note: textOf(row, 'note') };

function checkpointPort({ prepare, read }: TableParts<CheckpointRow>): CheckpointPort {
  const newest = prepare(NEWEST);
  const covering = prepare('SELECT size, note FROM log_checkpoints WHERE size > ? ORDER BY size LIMIT 1');
  return {
    checkpoint: () => read(() => checkpointOf(newest.get())),
    checkpointCovering: (index) => read(() => checkpointOf(covering.get(index))),
  };
}

/** Written by the writer, which has the tree and the key. */
export const checkpointTable = { schema, port: checkpointPort, writers: nothing };

export interface CheckpointRows {
  /** Size of the newest checkpoint, 0 without one. */
  readonly newestSize: () => number;
  readonly insert: StatementSync;
}

export function checkpointRows(db: Connection): CheckpointRows {
  const newest = db.prepare('SELECT coalesce(max(size), 0) AS size FROM log_checkpoints');
  return {
    newestSize: () => integerOf(newest.get() ?? {}, 'size'),
    insert: db.prepare('INSERT INTO log_checkpoints(size, note) VALUES (?, ?)'),
  };
}

export const newestCheckpoint = (db: Connection): SignedCheckpoint | undefined =>
  checkpointOf(db.prepare(NEWEST).get());

/** Puts all checkpoints aside, as those of an origin that was given up. */
export function retireCheckpoints(db: Connection, logOrigin: string): void {
  db.prepare(
    'INSERT OR IGNORE INTO past_checkpoints(log_origin, size, note) SELECT ?, size, note FROM log_checkpoints',
  ).run(logOrigin);
  db.prepare('DELETE FROM log_checkpoints').run();
}
