import { integerOf, textOf } from '../sqlite/columns.ts';
import {
  done,
  numberOf,
  refused,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** Tasks that only one of several processes does. */
interface LeasePort {
  /**
   * Takes or renews a lease until `now + ttlMs`.
   * @returns its epoch, which grows with each change of holder; undefined: another process holds it
   */
  readonly acquireLease: (name: string, holder: string, ttlMs: number) => Promise<number | undefined>;
  readonly releaseLease: (name: string, holder: string) => Promise<void>;
}

type LeaseOperations = {
  readonly acquireLease: readonly [name: string, holder: string, now: number, ttlMs: number];
  readonly releaseLease: readonly [name: string, holder: string];
};

const schema: TableSchema = {
  1: `CREATE TABLE leases(name TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;`,
};

function leaseWriters(db: WriterParts): Writers<LeaseOperations> {
  const lease = db.prepare('SELECT holder, epoch, expires FROM leases WHERE name = ?');
  const put = db.prepare(
    `INSERT INTO leases(name, holder, epoch, expires) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, expires = excluded.expires`,
  );
  // The row stays, so that its epoch never falls. A holder is never named ''.
  const release = db.prepare(`UPDATE leases SET holder = '', expires = 0 WHERE name = ? AND holder = ?`);
  const acquireLease = (name: string, holder: string, now: number, ttlMs: number): RowResult => {
    if (!Number.isSafeInteger(now + ttlMs)) return refused('a time is no whole number of milliseconds');
    const row = lease.get(name);
    const held = row !== undefined && textOf(row, 'holder') === holder;
    if (row !== undefined && !held && integerOf(row, 'expires') > now) return null;
    const epoch = (row === undefined ? 0 : integerOf(row, 'epoch')) + (held ? 0 : 1);
    put.run(name, holder, epoch, now + ttlMs);
    return epoch;
  };
  return {
    acquireLease,
    releaseLease: (name, holder) => {
      release.run(name, holder);
      return null;
    },
  };
}

const leasePort = ({ write, now }: TableParts<RowOf<LeaseOperations>>): LeasePort => ({
  acquireLease: async (name, holder, ttlMs) => {
    const result = await write(['acquireLease', name, holder, now(), ttlMs]);
    return result === null ? undefined : numberOf(result);
  },
  releaseLease: (name, holder) => done(write(['releaseLease', name, holder])),
});

export const leaseTable = { schema, port: leasePort, writers: leaseWriters };

/** The highest epoch that decided about an object, so that a leader that was replaced can't decide again. */
export interface FenceRows {
  readonly highest: (fence: string) => number | undefined;
  readonly put: (fence: string, epoch: number) => void;
}

/** Fence of the swaps of an object. */
export const swapFence = (orbUid: string): string => `swap/${orbUid}`;

/** Fence of the evaluations. */
export const EVALUATION_FENCE = 'evaluations/reputation';

/** A fence is a lease without a holder: it exists for its epoch (trust.md §2.3). */
export function fenceRows(db: Connection): FenceRows {
  const fence = db.prepare('SELECT epoch FROM leases WHERE name = ?');
  const put = db.prepare(
    `INSERT INTO leases(name, holder, epoch, expires) VALUES (?, '', ?, 0)
       ON CONFLICT DO UPDATE SET epoch = excluded.epoch`,
  );
  return {
    highest: (name) => {
      const row = fence.get(name);
      return row === undefined ? undefined : integerOf(row, 'epoch');
    },
    put: (name, epoch) => {
      put.run(name, epoch);
    },
  };
}
