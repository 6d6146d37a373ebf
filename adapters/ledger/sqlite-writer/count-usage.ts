import type { DatabaseSync } from 'node:sqlite';
import { integerOf, textOf } from '../sqlite/columns.ts';
import type { OnUpgrading } from '../sqlite/protocol.ts';
import { USAGE_OF_ROWS, usageCounter } from '../tables/tenant-usage.ts';

/** One line is logged for so many rows: about a second of a ledger that was not read before. */
const STEP = 250_000;

/**
 * Counts what each tenant has in an older ledger. Call it once, in a transaction, when the totals are empty.
 * @param step rows after which `onUpgrading` is called
 */
export function countUsage(db: DatabaseSync, onUpgrading: OnUpgrading, step = STEP): void {
  const counter = usageCounter({ prepare: (sql) => db.prepare(sql) });
  let done = 0;
  for (const sql of USAGE_OF_ROWS) {
    for (const row of db.prepare(sql).iterate()) {
      counter.row(textOf(row, 'tenant'), integerOf(row, 'bytes'));
      done += 1;
      if (done % step === 0) onUpgrading({ work: 'usage', done });
    }
  }
  counter.store();
}
