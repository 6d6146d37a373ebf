import { integerOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableSchema } from './table.ts';

const schema: TableSchema = {
  4: `CREATE TABLE changes(id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
  INSERT INTO changes(id, last) VALUES (1, 0);`,
};

/** Rows that a call of a reader of changes gives at most. */
export const MAX_CHANGES = 1000;

/** One counter for publications, organisations, evaluations and certificates, so that readers can follow each of them. */
export const changeTable = { schema, port: nothing, writers: nothing };

/** Gives each written row its number, in the writer's thread. */
export type NextChange = () => number;

export function changeCounter(db: Connection): NextChange {
  const next = db.prepare('UPDATE changes SET last = last + 1 WHERE id = 1 RETURNING last');
  return () => integerOf(next.get() ?? {}, 'last');
}
