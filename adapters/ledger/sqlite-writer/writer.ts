import { sign } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { keyId, signNote } from '../../../core/merkle/checkpoint.ts';
import { sha256 } from '../../keys/primitives.ts';
import type { WriterSettings } from '../sqlite/protocol.ts';
import { checkpointRows, type CheckpointRows } from '../tables/checkpoints.ts';
import { jwsHeaders, type JwsHeaders } from '../tables/jws-headers.ts';
import { checkedEntries } from '../tables/log.ts';
import { refused, type RowResult, type WriterParts } from '../tables/table.ts';
import { createTableWriter, type TableRow, type TableWriter, type WriteRow } from '../tables/tables.ts';
import { IngestWriter, isIngestRow } from './ingest-writer.ts';
import { LogWriter, logWriterRows, TOO_LONG, type LogWriterRows } from './log-writer.ts';
import { isReputationRow, ReputationWriter } from './reputation-writer.ts';
import { RunWriter } from './run-writer.ts';
import { SwapWriter } from './swap-writer.ts';
import { WalLength } from './wal-length.ts';

/** Log and newest checkpoint after the last commit. */
interface Position {
  readonly log: LogWriter;
  /** Size of the newest checkpoint, 0 without one. */
  checkpointed: number;
}

/**
 * The only connection that writes. Every group is one transaction that includes the log's entries, hashes and head: a
 * commit always shows a whole tree. Durable when `commit` returns: WAL and `synchronous=FULL` write the frames of a
 * commit and sync them (`pwrite` … `fdatasync` of the WAL) before any reader sees them. Not covered: a disk that
 * acknowledges a sync which it did not do.
 */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #settings: WriterSettings;
  readonly #headers: JwsHeaders;
  readonly #runs: RunWriter;
  readonly #swaps: SwapWriter;
  readonly #reputation: ReputationWriter;
  readonly #ingestion: IngestWriter;
  readonly #tables: TableWriter;
  readonly #log: LogWriterRows;
  readonly #checkpoints: CheckpointRows;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #keyId: Uint8Array;
  /** Undefined after a rollback: then it is read again from the disk. */
  #position: Position | undefined;
  readonly #wal: WalLength;

  constructor(db: DatabaseSync, settings: WriterSettings) {
    this.#db = db;
    this.#settings = settings;
    const parts: WriterParts = { prepare: (sql) => db.prepare(sql), dataKey: settings.dataKey };
    this.#headers = jwsHeaders(db);
    this.#runs = new RunWriter(parts, this.#headers);
    this.#swaps = new SwapWriter(db, this.#headers);
    this.#reputation = new ReputationWriter(db);
    this.#ingestion = new IngestWriter(db);
    this.#tables = createTableWriter(parts);
    this.#log = logWriterRows(db);
    this.#checkpoints = checkpointRows(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#wal = new WalLength(db);
    this.#keyId = keyId(settings.identity.logOrigin, settings.logKey.publicKey, sha256);
  }

  /** Sizes of the tree and of its newest checkpoint. */
  sizes(): readonly [size: number, checkpointed: number] {
    const { log, checkpointed } = this.#read();
    return [log.size(), checkpointed];
  }

  /** One result per row, in order. @throws the error of SQLite; then no row of the group was written */
  commit(rows: readonly WriteRow[]): readonly RowResult[] {
    try {
      this.#begin.run();
      const position = this.#read();
      const { isRow, apply } = this.#tables;
      const results = rows.map((row) => (isRow(row) ? apply(row) : this.#apply(row, position)));
      position.log.store();
      this.#runs.store();
      this.#commit.run();
      return results;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /**
   * Moves the WAL into the file when it is due. Call it after the answer, so that no caller waits for it.
   * @param rows size of the group
   */
  tidy(rows: number): void {
    this.#wal.afterCommit(rows);
  }

  close(): void {
    this.#db.close();
  }

  #read(): Position {
    this.#position ??= {
      log: new LogWriter(this.#log),
      checkpointed: this.#checkpoints.newestSize(),
    };
    return this.#position;
  }

  /** Applies a row that several tables share. */
  #apply(row: Exclude<WriteRow, TableRow>, position: Position): RowResult {
    if (isReputationRow(row)) return this.#reputation.apply(row, position.log);
    if (isIngestRow(row)) return this.#ingestion.apply(row, position.log);
    switch (row[0]) {
      case 'start':
        return this.#runs.start(row);
      case 'finish':
        return this.#runs.finish(row, position.log);
      case 'record':
        return this.#runs.record(row, position.log);
      case 'swap':
        return this.#swaps.record(row, position.log);
      case 'append':
        return this.#append(row[1], position.log);
      case 'checkpoint':
        return this.#signCheckpoint(position);
      default:
        return row satisfies never;
    }
  }

  #append(entries: readonly string[], log: LogWriter): RowResult {
    const checked = checkedEntries(entries);
    return checked === undefined ? refused(TOO_LONG) : log.appendAll(checked);
  }

  #signCheckpoint(position: Position): RowResult {
    const size = position.log.size();
    if (size === position.checkpointed) return null;
    const { identity, logKey } = this.#settings;
    const checkpoint = { origin: identity.logOrigin, size, root: position.log.root() };
    const note = signNote(checkpoint, this.#keyId, (bytes) => sign(null, bytes, logKey.privateKey));
    this.#checkpoints.insert.run(size, note);
    position.checkpointed = size;
    return ['signed', size, note];
  }

  #rollBack(): void {
    this.#position = undefined;
    this.#headers.forget();
    this.#ingestion.forget();
    this.#runs.forget();
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK'); // SQLite itself rolls back on some errors
  }
}
