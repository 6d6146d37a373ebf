import { textOf } from '../sqlite/columns.ts';
import { done, type RowOf, type TableParts, type TableSchema, type WriterParts, type Writers } from './table.ts';

export interface StateRow {
  readonly key: string;
  /** JSON text. */
  readonly json: string;
}

/** Texts by kind and key: data other than receipts that outlives a restart. */
interface StatePort {
  readonly state: (kind: string, key: string) => Promise<string | undefined>;
  readonly states: (kind: string) => Promise<readonly StateRow[]>;
  readonly putState: (kind: string, key: string, json: string) => Promise<void>;
  readonly deleteState: (kind: string, key: string) => Promise<void>;
}

type StateOperations = {
  readonly putState: readonly [kind: string, key: string, json: string];
  readonly deleteState: readonly [kind: string, key: string];
};

const schema: TableSchema = {
  1: `CREATE TABLE state(kind TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID;`,
};

function stateWriters(db: WriterParts): Writers<StateOperations> {
  const put = db.prepare(
    'INSERT INTO state(kind, key, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  );
  const remove = db.prepare('DELETE FROM state WHERE kind = ? AND key = ?');
  return {
    putState: (kind, key, json) => {
      put.run(kind, key, json);
      return null;
    },
    deleteState: (kind, key) => {
      remove.run(kind, key);
      return null;
    },
  };
}

function statePort({ prepare, read, write }: TableParts<RowOf<StateOperations>>): StatePort {
  const one = prepare('SELECT json FROM state WHERE kind = ? AND key = ?');
  const all = prepare('SELECT key, json FROM state WHERE kind = ? ORDER BY key');
  return {
    state: (kind, key) =>
      read(() => {
        const row = one.get(kind, key);
        return row === undefined ? undefined : textOf(row, 'json');
      }),
    states: (kind) => read(() => all.all(kind).map((row) => ({ key: textOf(row, 'key'), json: textOf(row, 'json') }))),
    putState: (kind, key, json) => done(write(['putState', kind, key, json])),
    deleteState: (kind, key) => done(write(['deleteState', kind, key])),
  };
}

export const stateTable = { schema, port: statePort, writers: stateWriters };
