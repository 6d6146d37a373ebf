import { LedgerError, type LedgerCommits, type LedgerLoad } from './port.ts';

/** The database and settings of a group-commit queue. */
export interface GroupCommitOptions<Row, Result> {
  /**
   * Commits these rows together. Resolves, once they are durable, with one result per row, in their order. A rejection
   * means that no row is known to be committed.
   */
  readonly flush: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** Maximum number of rows in one group (512 on SQLite, performance.md §3.3). */
  readonly maxRows: number;
  /** Maximum number of groups in flight: one per connection. */
  readonly lanes: number;
  /** Ms from an arbitrary start; never goes back. */
  readonly monotonic: () => number;
  /**
   * Runs `flush` of an idle queue after the current turn, so that callers of one turn share a group: `setImmediate`.
   */
  readonly defer: (task: () => void) => void;
}

/** A queue in front of a database. Rows that arrive while a commit runs form the next commit. No timer. */
export interface GroupCommit<Row, Result> {
  /** Resolves with the row's own result; rejects when its group failed. Rejects with `ledger-closed` after `drain`. */
  readonly add: (row: Row) => Promise<Result>;
  readonly load: () => LedgerLoad;
  readonly commits: () => LedgerCommits;
  /** Accepts no more rows, and resolves when the queued rows are settled. */
  readonly drain: () => Promise<void>;
}

interface Waiting<Row, Result> {
  readonly row: Row;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

class Queue<Row, Result> {
  readonly #options: GroupCommitOptions<Row, Result>;
  #waiting: Waiting<Row, Result>[] = [];
  /** Groups that the database is committing. At most `lanes`. */
  readonly #inFlight = new Set<readonly Waiting<Row, Result>[]>();
  #deferred = false;
  #groups = 0;
  #rows = 0;
  #drained: (() => void) | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Row, Result>) {
    this.#options = options;
  }

  add(row: Row): Promise<Result> {
    if (this.#draining !== undefined) return Promise.reject(new LedgerError('ledger-closed', 'the ledger is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, since: this.#options.monotonic(), resolve, reject });
      this.#flushSoon();
    });
  }

  load(): LedgerLoad {
    let queuedRows = this.#waiting.length;
    let oldest = this.#waiting[0]?.since;
    for (const group of this.#inFlight) {
      queuedRows += group.length;
      const since = group[0]?.since;
      if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since;
    }
    return { queuedRows, oldestMs: oldest === undefined ? 0 : this.#options.monotonic() - oldest };
  }

  commits(): LedgerCommits {
    return { groups: this.#groups, rows: this.#rows };
  }

  drain(): Promise<void> {
    this.#draining ??= new Promise((resolve) => {
      this.#drained = resolve;
      this.#settled();
    });
    return this.#draining;
  }

  #flushSoon(): void {
    if (this.#deferred || this.#inFlight.size >= this.#options.lanes) return;
    this.#deferred = true;
    this.#options.defer(() => {
      this.#deferred = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#inFlight.size >= this.#options.lanes) return;
    const group = this.#waiting;
    this.#waiting = group.length > this.#options.maxRows ? group.splice(this.#options.maxRows) : [];
    this.#inFlight.add(group);
    void this.#commit(group);
  }

  /** Never rejects: the result or the error of a group reaches the callers of its rows. */
  async #commit(group: readonly Waiting<Row, Result>[]): Promise<void> {
    let settle: (waiting: Waiting<Row, Result>, position: number) => void;
    try {
      const results = await this.#options.flush(group.map(({ row }) => row));
      this.#groups += 1;
      this.#rows += group.length;
      settle = ({ resolve, reject }, position) => {
        const result = results[position];
        if (result === undefined) reject(new LedgerError('ledger-unavailable', 'a row of a group has no result'));
        else resolve(result);
      };
    } catch (error) {
      settle = ({ reject }) => reject(error);
    }
    this.#inFlight.delete(group);
    this.#flush(); // starts the next commit before the callers continue
    group.forEach(settle);
    this.#settled();
  }

  #settled(): void {
    if (this.#waiting.length === 0 && this.#inFlight.size === 0) this.#drained?.();
  }
}

/** Makes a queue without a database of its own: SQLite and PostgreSQL share it (performance.md §3.3). */
export function createGroupCommit<Row, Result>(options: GroupCommitOptions<Row, Result>): GroupCommit<Row, Result> {
  const queue = new Queue(options);
  return {
    add: (row) => queue.add(row),
    load: () => queue.load(),
    commits: () => queue.commits(),
    drain: () => queue.drain(),
  };
}
