import { LedgerError, type LedgerCommits, type LedgerLoad } from './port.ts';

/** The result of a group: the first call counts. */
interface GroupOutcome<Result> {
  /** The group is durable. One result per row, in their order. */
  readonly committed: (results: readonly Result[]) => void;
  /** No row of the group is known to be committed. */
  readonly failed: (reason: unknown) => void;
}

/** The database and settings of a group-commit queue. */
export interface GroupCommitOptions<Row, Result> {
  /** Commits these rows together. Called with the next group when the last has its outcome. */
  readonly flush: (rows: readonly Row[], outcome: GroupOutcome<Result>) => void;
  /** Maximum number of rows in one group (512 on SQLite, performance.md §3.3). */
  readonly maxRows: number;
  /** Ms from an arbitrary start; never goes back. */
  readonly monotonic: () => number;
  /**
   * Runs `flush` of an idle queue after the current turn, so that callers of one turn share a group: `setImmediate`.
   */
  readonly defer: (task: () => void) => void;
}

/**
 * A queue in front of a database. Rows that arrive while a commit runs form the next commit. No timer. A row that takes
 * long waits behind all others, and is a group by itself, so that nothing else waits for more of it than what is under
 * way; it waits for 50 ms at most while others keep coming.
 */
export interface GroupCommit<Row, Result> {
  /** Resolves with the row's own result; rejects when its group failed. Rejects with `ledger-closed` after `drain`. */
  readonly add: (row: Row) => Promise<Result>;
  /** Like `add`, for a row that takes long. */
  readonly addLong: (row: Row) => Promise<Result>;
  /** Rows that wait or are being committed. A long row that waits does not count: nobody waits for it. */
  readonly load: () => LedgerLoad;
  readonly commits: () => LedgerCommits;
  /** Accepts no more rows, and resolves when the queued rows are settled. */
  readonly drain: () => Promise<void>;
}

/** A long row goes before others when it has waited for so long. */
const PATIENCE_MS = 50;

/** The caller of one row. */
interface Waiting<Result> {
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** A group has callbacks and no promise of its own: at one caller a group is one row. */
class Queue<Row, Result> {
  readonly #options: GroupCommitOptions<Row, Result>;
  #rows: Row[] = [];
  /** The callers of `#rows`, in their order. */
  #callers: Waiting<Result>[] = [];
  /** Rows that take long, each with its caller. */
  #long: (readonly [row: Row, caller: Waiting<Result>])[] = [];
  /** The callers of the group that the database is committing; empty between two groups. */
  #inFlight: readonly Waiting<Result>[] = [];
  #deferred = false;
  #committedGroups = 0;
  #committedRows = 0;
  #drained: (() => void) | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Row, Result>) {
    this.#options = options;
  }

  add(row: Row): Promise<Result> {
    return this.#accept((caller) => {
      this.#rows.push(row);
      this.#callers.push(caller);
    });
  }

  addLong(row: Row): Promise<Result> {
    return this.#accept((caller) => {
      this.#long.push([row, caller]);
    });
  }

  #accept(put: (caller: Waiting<Result>) => void): Promise<Result> {
    if (this.#draining !== undefined) return Promise.reject(new LedgerError('ledger-closed', 'the ledger is closed'));
    return new Promise((resolve, reject) => {
      put({ since: this.#options.monotonic(), resolve, reject });
      this.#flushSoon();
    });
  }

  load(): LedgerLoad {
    const queuedRows = this.#inFlight.length + this.#callers.length;
    const oldest = this.#inFlight[0] ?? this.#callers[0];
    return { queuedRows, oldestMs: oldest === undefined ? 0 : this.#options.monotonic() - oldest.since };
  }

  commits(): LedgerCommits {
    return { groups: this.#committedGroups, rows: this.#committedRows };
  }

  drain(): Promise<void> {
    this.#draining ??= new Promise((resolve) => {
      this.#drained = resolve;
      this.#endDrain();
    });
    return this.#draining;
  }

  #flushSoon(): void {
    if (this.#deferred || this.#inFlight.length > 0) return;
    this.#deferred = true;
    this.#options.defer(this.#flushNow);
  }

  readonly #flushNow = (): void => {
    this.#deferred = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#inFlight.length > 0) return;
    const long = this.#takeLong();
    if (long !== undefined) this.#commit([long[0]], [long[1]]);
    else if (this.#callers.length > 0) this.#commitWaiting();
  }

  /** @returns undefined: no long row waits, or other rows go first */
  #takeLong(): readonly [row: Row, caller: Waiting<Result>] | undefined {
    const since = this.#long[0]?.[1].since;
    if (since === undefined) return undefined;
    const isNext = this.#callers.length === 0 || this.#options.monotonic() - since >= PATIENCE_MS;
    return isNext ? this.#long.shift() : undefined;
  }

  #commitWaiting(): void {
    const { maxRows } = this.#options;
    const [rows, callers] = [this.#rows, this.#callers];
    const split = rows.length > maxRows;
    this.#rows = split ? rows.splice(maxRows) : [];
    this.#callers = split ? callers.splice(maxRows) : [];
    this.#commit(rows, callers);
  }

  #commit(rows: readonly Row[], callers: readonly Waiting<Result>[]): void {
    this.#inFlight = callers;
    const outcome = this.#outcomeOf(callers);
    try {
      this.#options.flush(rows, outcome);
    } catch (error) {
      outcome.failed(error);
    }
  }

  #outcomeOf(group: readonly Waiting<Result>[]): GroupOutcome<Result> {
    return {
      committed: (results) => {
        if (this.#inFlight !== group) return;
        this.#committedGroups += 1;
        this.#committedRows += group.length;
        this.#settle(({ resolve, reject }, position) => {
          const result = results[position];
          if (result === undefined) reject(new LedgerError('ledger-unavailable', 'a row of a group has no result'));
          else resolve(result);
        });
      },
      failed: (reason) => {
        if (this.#inFlight === group) this.#settle(({ reject }) => reject(reason));
      },
    };
  }

  #settle(settle: (caller: Waiting<Result>, position: number) => void): void {
    const group = this.#inFlight;
    this.#inFlight = [];
    this.#flush(); // starts the next commit before the callers continue
    group.forEach(settle);
    this.#endDrain();
  }

  #endDrain(): void {
    const isEmpty = this.#callers.length === 0 && this.#long.length === 0 && this.#inFlight.length === 0;
    if (isEmpty) this.#drained?.();
  }
}

/** Makes a queue that knows no database (performance.md §3.3). */
export function createGroupCommit<Row, Result>(options: GroupCommitOptions<Row, Result>): GroupCommit<Row, Result> {
  const queue = new Queue(options);
  return {
    add: (row) => queue.add(row),
    addLong: (row) => queue.addLong(row),
    load: () => queue.load(),
    commits: () => queue.commits(),
    drain: () => queue.drain(),
  };
}
