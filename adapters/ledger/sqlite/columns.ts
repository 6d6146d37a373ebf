import type { SQLOutputValue } from 'node:sqlite';

/** A row as SQLite gives it: its columns are parsed like any input. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The name of a column; its place in rows of a statement that gives arrays. */
type Column = string | number;

const wrong = (column: Column): TypeError =>
  new TypeError(`column ${column} of the ledger has another type than its schema`);

export function textOf(row: Row, column: Column): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column);
  return value;
}

export function integerOf(row: Row, column: Column): number {
  const value = row[column];
  if (typeof value !== 'number') throw wrong(column);
  return value;
}

export const optionalTextOf = (row: Row, column: Column): string | null =>
  row[column] === null ? null : textOf(row, column);

/** One of a closed list of words. */
export function oneOf<Word extends string>(words: readonly Word[], row: Row, column: string): Word {
  const text = textOf(row, column);
  const word = words.find((one) => one === text);
  if (word === undefined) throw wrong(column);
  return word;
}

/** A view of the blob's own memory. */
export function blobOf(row: Row, column: Column): Buffer {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw wrong(column);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

export const optionalBlobOf = (row: Row, column: string): Buffer | null =>
  row[column] === null ? null : blobOf(row, column);

/** Distinct texts for `json_each`, as they are stored: a lone surrogate is no text of SQLite. */
export const jsonList = (texts: readonly string[]): string =>
  JSON.stringify([...new Set(texts.map((text) => text.toWellFormed()))]);
