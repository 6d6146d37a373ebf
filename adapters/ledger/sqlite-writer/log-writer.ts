import { readEntry } from '../../../core/log-entry/entry.ts';
import { isRetractable } from '../../../core/reputation/fold.ts';
import { entryBytes, logRows, MAX_ENTRY_BYTES, type CheckedEntries, type LogRows } from '../tables/log.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { foldRows, FoldWriter, type FoldRows } from './fold-writer.ts';
import { TreeWriter } from './tree-writer.ts';

/** Why a row with such an entry is refused. */
export const TOO_LONG = `a log entry is longer than ${MAX_ENTRY_BYTES} bytes`;

/** Statements of the log, and of the tables that follow from it. */
export interface LogWriterRows {
  readonly log: LogRows;
  readonly fold: FoldRows;
}

export const logWriterRows = (db: Connection): LogWriterRows => ({ log: logRows(db), fold: foldRows(db) });

/**
 * Appends to the log: to its tree, and to the tables that follow from its entries. After a rollback, drop it and make
 * another: memory follows the disk.
 */
export class LogWriter {
  readonly #tree: TreeWriter;
  readonly #fold: FoldWriter;
  readonly #rows: LogWriterRows;

  /** @param rows kept as long as the connection, so that a new `LogWriter` prepares no statement again */
  constructor(rows: LogWriterRows) {
    this.#rows = rows;
    this.#tree = new TreeWriter(rows.log);
    this.#fold = new FoldWriter(rows.fold);
  }

  /** Entries in the tree, including those of the open transaction. */
  size(): number {
    return this.#tree.size();
  }

  root(): Uint8Array {
    return this.#tree.root();
  }

  /** @param bytes those of `entry`, from `entryBytes` */
  append(entry: string, bytes: Uint8Array): void {
    this.#fold.fold(this.#tree.append(bytes), entry);
  }

  /** Appends entries in their order; returns the index of the first. */
  appendAll(entries: CheckedEntries): number {
    const first = this.#tree.size();
    for (const [text, bytes] of entries) this.append(text, bytes);
    return first;
  }

  /** Appends the retraction of an entry, if it can be retracted. */
  retract(entry: string, index: number): RowResult {
    const bytes = entryBytes(entry);
    if (bytes === undefined) return refused(TOO_LONG);
    const retraction = readEntry(entry);
    if (retraction?.kind !== 'retraction' || retraction.index !== index)
      return refused('the entry is no retraction of this index');
    const text = this.#rows.log.entryAt(index);
    if (text === undefined) return ['missing'];
    return this.#isRetractable(text, index) ? this.appendAll([[entry, bytes]]) : ['conflict', 'not retractable'];
  }

  /** Writes the changes since the last call: once per transaction, before its commit. */
  store(): void {
    this.#tree.store();
    this.#fold.store();
  }

  #isRetractable(text: string, index: number): boolean {
    const target = readEntry(text);
    return target !== undefined && isRetractable(target.kind) && !this.#rows.fold.isRetracted(index);
  }
}
