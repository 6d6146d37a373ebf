import type { StatementSync } from 'node:sqlite';

/** `null`: done, without a result. A number: rows erased, index of the first entry, or epoch. */
export type RowResult =
  | null
  | number
  | readonly [kind: 'taken', bodySha256: string, runId: string, sealedAnswer: Uint8Array | null]
  | readonly [kind: 'closed', receiptId: string]
  | readonly [kind: 'exists', receiptId: string]
  | readonly [kind: 'fenced', highest: number]
  | readonly [kind: 'signed', size: number, note: string]
  /** The caller made a mistake: this row was not written; the other rows of its group are. */
  | readonly [kind: 'refused', why: string];

/** Writes of a table: the name of each operation and its columns. */
type Operations = Readonly<Record<string, readonly unknown[]>>;

/** One write on its way to the writer's thread, as a flat array. */
export type RowOf<Ops extends Operations, Op extends keyof Ops = keyof Ops> = {
  [Name in Op]: readonly [op: Name, ...columns: Ops[Name]];
}[Op];

/** The writing half of a table, in the writer's thread and inside its transaction. */
export type Writers<Ops extends Operations> = {
  readonly [Op in keyof Ops]: (...columns: Ops[Op]) => RowResult;
};

/** A connection as a table sees it: each statement is prepared once. */
export interface Connection {
  readonly prepare: (sql: string) => StatementSync;
}

/** Parts that the port's half of a table is built from, on the main thread. */
export interface TableParts<Row> extends Connection {
  /** Runs a read; a failure of the database becomes a LedgerError. */
  readonly read: <T>(query: () => T) => Promise<T>;
  /** Resolves when the row is durable. */
  readonly write: (row: Row) => Promise<RowResult>;
  /** ms since epoch */
  readonly now: () => number;
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
