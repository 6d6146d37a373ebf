import type { StatementSync } from 'node:sqlite';
import { integerOf } from '../sqlite/columns.ts';
import type { Connection } from '../tables/table.ts';

// A WAL that starts over early overwrites itself: 0.46 ms a run instead of 0.8 (performance.md §1.1). 500 pages of 8 KiB
// are 4 MB. A group of one row writes about 6 pages, so a single caller reaches the number of commits first.
const CHECKPOINT_PAGES = 500;
const CHECKPOINT_COMMITS = 100;
// A look is 1 µs in a hot loop and several after a sync, so it is not made for each small group: they add 100 pages.
const LOOK_COMMITS = 8;
const LOOK_ROWS = 32;

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
  /** Reads the two numbers and moves nothing. SQLite before 3.51 does not know the word and takes it as PASSIVE. */
  readonly #look: StatementSync;
  readonly #move: StatementSync;
  #commits = 0;
  /** Length at the last checkpoint that could not move every page: no reason to try again at once. */
  #left = 0;

  constructor(db: Connection) {
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /**
   * Makes a checkpoint when one is due. Never throws: on a full disk the WAL keeps every commit.
   * @param rows size of the group that was committed
   */
  afterCommit(rows: number): void {
    this.#commits += 1;
    if (rows < LOOK_ROWS && this.#commits % LOOK_COMMITS !== 0) return;
    try {
      const { written } = this.#pages(this.#look);
      if (written < this.#left) this.#left = 0; // it started over
      if (written - this.#left < CHECKPOINT_PAGES && this.#commits < CHECKPOINT_COMMITS) return;
      this.#commits = 0;
      this.#left = written; // also when the disk has no room
      const { written: length, moved } = this.#pages(this.#move);
      if (moved === length) this.#left = 0;
    } catch {
      // Tried again when the WAL has grown by as much again.
    }
  }

  #pages(statement: StatementSync): WalPages {
    const row = statement.get() ?? {};
    return { written: integerOf(row, 'log'), moved: integerOf(row, 'checkpointed') };
  }
}
