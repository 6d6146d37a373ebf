import type { DatabaseSync } from 'node:sqlite';
import { leafHash } from '../../../core/merkle/hash.ts';
import type { NodeReader } from '../../../core/merkle/proof.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import { foldEntry, type FoldTables } from '../../../core/reputation/fold.ts';
import { sha256 } from '../../keys/primitives.ts';
import { LedgerError } from '../port.ts';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import { edgeOf } from '../sqlite/tiles.ts';
import { newestCheckpoint } from '../tables/checkpoints.ts';
import { lastEntry, logHead, storedNodes } from '../tables/log.ts';
import { FOLD_VERSION } from '../tables/reputation.ts';
import { storedVersion } from './schema.ts';

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

function lastEntryFits(db: DatabaseSync, size: number, node: NodeReader): boolean {
  const last = lastEntry(db);
  if (last === undefined || size === 0) return last === undefined && size === 0;
  return last.index === size - 1 && same(leafHash(last.entry, sha256), node(0, size - 1));
}

function newestCheckpointFits(db: DatabaseSync, size: number, node: NodeReader): boolean {
  const newest = newestCheckpoint(db);
  if (newest === undefined) return true;
  const [, sizeLine, rootLine] = newest.note.split('\n');
  if (newest.size > size || sizeLine !== String(newest.size)) return false;
  return rootLine === Buffer.from(rootOf(edgeOf(newest.size, node), sha256)).toString('base64');
}

/** Entries at the end of the log that are compared with the tables that follow from it. */
const NEWEST_ENTRIES = 100;

/** Indexes of the events among the newest entries, as the fold finds them. */
function newestEvents(db: DatabaseSync, from: number): readonly number[] {
  const found: number[] = [];
  const tables: FoldTables = {
    addRuns: () => undefined,
    addEvent: ({ index }) => void found.push(index),
    retractEvent: () => undefined,
    entryAt: () => undefined,
    noteRetraction: () => false,
  };
  for (const row of db.prepare('SELECT idx, entry FROM log_entries WHERE idx >= ? ORDER BY idx').all(from))
    foldEntry(tables, integerOf(row, 'idx'), blobOf(row, 'entry').toString('utf8'));
  return found;
}

const INDEXES = `SELECT max(last) AS last FROM (SELECT max(log_index) AS last FROM test_reports
  UNION ALL SELECT max(log_index) FROM certificates UNION ALL SELECT max(log_index) FROM reputation_retractions
  UNION ALL SELECT max(log_index) FROM reputation_newest)`;

/** Whether the tables that follow from the log are those of exactly these entries, as far as the newest entries tell. */
function tablesFit(db: DatabaseSync, size: number): boolean {
  if ((storedVersion(db) ?? 0) < FOLD_VERSION) return true; // a copy that an older program made
  const from = Math.max(0, size - NEWEST_ENTRIES);
  const stored = db
    .prepare('SELECT log_index FROM reputation_events WHERE log_index >= ? ORDER BY log_index')
    .all(from);
  const expected = newestEvents(db, from).join();
  const { last } = db.prepare(INDEXES).get() ?? {};
  const isWithin = typeof last !== 'number' || last < size;
  return isWithin && stored.map((row) => integerOf(row, 'log_index')).join() === expected;
}

/**
 * Cheap test at the start that head, tiles, last entry, newest checkpoint and evidence belong to one tree. It takes a few reads,
 * however large the log is. It finds a file that was put together from two files. It does not find a changed old entry,
 * which takes a pass over the whole log (`checkLog` in the tests, later `orb log verify`).
 * @throws LedgerError `ledger-unavailable`: the writer must not sign a log that it can't vouch for
 */
export function checkHead(db: DatabaseSync): void {
  const { size, edge: stored } = logHead(db);
  const node = storedNodes(db)();
  try {
    const edge = Buffer.concat(edgeOf(size, node));
    if (!same(edge, stored)) throw new RangeError('its edge differs from its tiles');
    if (!lastEntryFits(db, size, node)) throw new RangeError('its last entry differs from its head');
    if (!newestCheckpointFits(db, size, node)) throw new RangeError('its newest checkpoint is of another tree');
    if (!tablesFit(db, size)) throw new RangeError('its evidence is of another tree');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerError('ledger-unavailable', `the log of this ledger contradicts itself: ${error.message}`, {
      cause: error,
    });
  }
}
