import type { StatementSync } from 'node:sqlite';
import { integerOf } from '../sqlite/columns.ts';
import type { Connection } from '../tables/table.ts';

// A WAL that starts over early overwrites itself: 0.46 ms a run instead of 0.8 (performance.md §1.1). 500 pages of 8 KiB
// are 4 MB. A group of one row writes about 6 pages, so a single caller reaches the number of commits first.
const CHECKPOINT_PAGES = 500;
const CHECKPOINT_COMMITS = 100;
// Reading the length costs 1 µs in a hot loop and several after a sync. So small groups don't read it each time: eight of
// them add at most 100 pages.
const READ_COMMITS = 8;
const READ_ROWS = 32;

/** Pages in the WAL, and how many of them are in the file too. */
interface WalPages {
  readonly written: number;
  readonly moved: number;
}

/**
 * Keeps the WAL short. A checkpoint moves its pages into the file; the next commit then overwrites the WAL from its
 * start. While a reader of an older state is open, such as a backup, pages can't be moved and the WAL grows. It is
 * overwritten again when that reader is done, and it never gives room back to the disk while the ledger is open.
 */
export class WalLength {
  /** Reads the two numbers and moves nothing. SQLite before 3.51 reads NOOP as PASSIVE: more checkpoints. */
  readonly #readLength: StatementSync;
  readonly #checkpoint: StatementSync;
  #commits = 0;
  /** Length at the last checkpoint that could not move every page. The next one waits until the WAL has grown again. */
  #unmovedAt = 0;

  constructor(db: Connection) {
    this.#readLength = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /**
   * Makes a checkpoint when one is due. Never throws: on a full disk the WAL keeps every commit.
   * @param rows size of the group that was committed
   */
  afterCommit(rows: number): void {
    this.#commits += 1;
    if (rows < READ_ROWS && this.#commits % READ_COMMITS !== 0) return;
    try {
      const { written } = this.#pages(this.#readLength);
      if (written < this.#unmovedAt) this.#unmovedAt = 0; // it started over
      if (written - this.#unmovedAt < CHECKPOINT_PAGES && this.#commits < CHECKPOINT_COMMITS) return;
      this.#commits = 0;
      this.#unmovedAt = written; // also when the disk has no room
      const { written: length, moved } = this.#pages(this.#checkpoint);
      if (moved === length) this.#unmovedAt = 0;
    } catch {
      // Tried again when the WAL has grown by as much again.
    }
  }

  #pages(statement: StatementSync): WalPages {
    const row = statement.get() ?? {};
    return { written: integerOf(row, 'log'), moved: integerOf(row, 'checkpointed') };
  }
}
