import type { StatementSync } from 'node:sqlite';

/**
 * Answer of the writer's thread to a row. `null`: done, without a result. A number: rows erased, index of the first
 * entry, or epoch.
 */
export type RowResult =
  | null
  | number
  | readonly [kind: 'taken', bodyTag: string, runId: string, sealedAnswer: Uint8Array | null]
  | readonly [kind: 'closed', receiptId: string]
  /** The row is there already, with this receipt id or digest. */
  | readonly [kind: 'exists', id: string]
  /** Another row than the caller expected; its state or owner. */
  | readonly [kind: 'conflict', found: string]
  | readonly [kind: 'missing']
  | readonly [kind: 'fenced', highest: number]
  /** Incidents that another call changed meanwhile. */
  | readonly [kind: 'stale', incidentIds: readonly string[]]
  /** A queue has no room. */
  | readonly [kind: 'full']
  | readonly [kind: 'signed', size: number, note: string]
  /** The caller made a mistake: this row was not written; the other rows of its group are. */
  | readonly [kind: 'refused', why: string];

/**
 * SQL by version of the schema: `{ 1: 'CREATE TABLE …', 4: 'ALTER TABLE …' }`. A released script is never edited: a
 * change is a script under the next version.
 */
export type TableSchema = Readonly<Record<number, string>>;

/** A table: everything that the ledger knows of it. */
export interface Table<Port, Row, TableWriters> {
  readonly schema: TableSchema;
  /** Its part of the ledger's port. */
  readonly port: (parts: TableParts<Row>) => Port;
  /** Its writes that concern no other table. Rows that write several tables are applied by `sqlite-writer`. */
  readonly writers: (parts: WriterParts) => TableWriters;
}

/** In place of a part that a table does not have. */
export const nothing = (): object => ({});

/** Writes of a table: the name of each operation and its columns. */
type Operations = Readonly<Record<string, readonly unknown[]>>;

/**
 * One write on its way to the writer's thread, as a flat array: structured clone copies it in 60 % of the time of an
 * object (performance.md §1).
 */
export type RowOf<Ops extends Operations, Op extends keyof Ops = keyof Ops> = {
  [Name in Op]: readonly [op: Name, ...columns: Ops[Name]];
}[Op];

/** Writes of a table, in the writer's thread and inside its transaction. */
export type Writers<Ops extends Operations> = {
  readonly [Op in keyof Ops]: (...columns: Ops[Op]) => RowResult;
};

/** A connection as a table sees it: each statement is prepared once. */
export interface Connection {
  readonly prepare: (sql: string) => StatementSync;
}

/** Parts that the writes of a table are built from, in the writer's thread. */
export interface WriterParts extends Connection {
  /** AES-256 key of stored answers, 32 bytes. */
  readonly dataKey: Uint8Array;
}

/** Parts that the port's half of a table is built from, on the main thread. */
export interface TableParts<Row> extends WriterParts {
  /** Runs a read; a failure of the database becomes a LedgerError. */
  readonly read: <T>(query: () => T | Promise<T>) => Promise<T>;
  /**
   * A connection apart, for a read that takes several turns in one transaction. It is opened by the first call, and has
   * one user.
   */
  readonly longReads: () => Connection;
  /** Resolves when the row is durable. */
  readonly write: (row: Row) => Promise<RowResult>;
  /** Like `write`, for a row that holds the writer for milliseconds: other rows go before it. */
  readonly writeLong: (row: Row) => Promise<RowResult>;
  /** Like `write`, for rows that end in the log: rejects while the log may not grow. */
  readonly writeLogged: (row: Row) => Promise<RowResult>;
  /** How often `writeLogged` was called since the ledger was opened: mostly by runs. */
  readonly loggedRows: () => number;
  /** ms since epoch */
  readonly now: () => number;
  /** Cryptographic random bytes. */
  readonly random: (size: number) => Uint8Array;
}

export const refused = (why: string): RowResult => ['refused', why];

/** A row that the writer refused is a mistake of the caller, not of the ledger. */
export function unexpected(result: RowResult): Error {
  const why = Array.isArray(result) && result[0] === 'refused' ? String(result[1]) : 'the writer gave another answer';
  return new TypeError(`the ledger refused a row: ${why}`);
}

export function numberOf(result: RowResult): number {
  if (typeof result !== 'number') throw unexpected(result);
  return result;
}

/** Awaits a write that has no result. */
export async function done(result: Promise<RowResult>): Promise<void> {
  const answer = await result;
  if (answer !== null) throw unexpected(answer);
}
