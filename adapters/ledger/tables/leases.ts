import { integerOf, textOf } from '../sqlite/columns.ts';
import {
  done,
  numberOf,
  refused,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type Writers,
} from './table.ts';

/** Tasks that only one of several processes does. */
export interface LeaseTable {
  /**
   * Takes or renews a lease until `now + ttlMs`.
   * @returns its epoch, which grows with each change of holder; undefined: another process holds it
   */
  readonly acquireLease: (name: string, holder: string, ttlMs: number) => Promise<number | undefined>;
  readonly releaseLease: (name: string, holder: string) => Promise<void>;
}

export type LeaseOperations = {
  readonly acquireLease: readonly [name: string, holder: string, now: number, ttlMs: number];
  readonly releaseLease: readonly [name: string, holder: string];
};

/** Part of the first version of the schema. It is never edited: a change is a migration. */
export const LEASES_SQL = `CREATE TABLE leases(name TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;`;

export function leaseWriters(db: Connection): Writers<LeaseOperations> {
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

export const leaseTable = ({ write, now }: TableParts<RowOf<LeaseOperations>>): LeaseTable => ({
  acquireLease: async (name, holder, ttlMs) => {
    const result = await write(['acquireLease', name, holder, now(), ttlMs]);
    return result === null ? undefined : numberOf(result);
  },
  releaseLease: (name, holder) => done(write(['releaseLease', name, holder])),
});
