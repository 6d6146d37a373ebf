import type { DatabaseSync } from 'node:sqlite';
import { leafHash, nodeHash } from '../../../core/merkle/hash.ts';
import type { NodeReader } from '../../../core/merkle/proof.ts';
import { tileLayout } from '../../../core/merkle/tiles.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import { foldEntry, type FoldTables } from '../../../core/reputation/fold.ts';
import { sha256 } from '../../keys/primitives.ts';
import { LedgerError } from '../port.ts';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import { failureDetail, hasPrimaryCode, SQLITE_CORRUPT } from '../sqlite/sqlite-error.ts';
import { edgeOf, TILE_HEIGHT, TILE_WIDTH } from '../sqlite/tiles.ts';
import { newestCheckpoint } from '../tables/checkpoints.ts';
import { lastEntry, logHead, storedNodes } from '../tables/log.ts';
import { FOLD_VERSION } from '../tables/reputation.ts';
import { storedVersion } from './schema.ts';

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

function lastEntryFits(db: DatabaseSync, size: number): boolean {
  const last = lastEntry(db);
  return (last?.index ?? -1) === size - 1;
}

/** Bounds of the entries that are hashed at a start: they take some 30 ms at the most. */
const MAX_HASHED_ENTRIES = 4096;
const MAX_HASHED_BYTES = 8 * 1_048_576;

/**
 * The newest entries have the hashes that their tiles hold: those of the newest tile and of the full one before it, and
 * those that no checkpoint covers yet, which the next checkpoint signs.
 */
function newestEntriesFit(db: DatabaseSync, size: number, node: NodeReader): boolean {
  const tile = Math.max(0, Math.ceil(size / TILE_WIDTH) - 2) * TILE_WIDTH;
  const from = Math.max(size - MAX_HASHED_ENTRIES, Math.min(tile, newestCheckpoint(db)?.size ?? 0));
  let expected = size - 1;
  let bytes = 0;
  for (const row of db.prepare('SELECT idx, entry FROM log_entries WHERE idx >= ? ORDER BY idx DESC').iterate(from)) {
    const entry = blobOf(row, 'entry');
    if (integerOf(row, 'idx') !== expected || !same(leafHash(entry, sha256), node(0, expected))) return false;
    expected -= 1;
    bytes += entry.length;
    if (bytes > MAX_HASHED_BYTES) return true;
  }
  return expected === from - 1;
}

/** The last full tile of each level has the hash that the level above holds of it. The edge covers the partial ones. */
function newestTilesFit(size: number, node: NodeReader): boolean {
  return tileLayout(size).every(({ level, full }) => {
    if (full === 0) return true;
    const hashes = Array.from({ length: TILE_WIDTH }, (_, at) =>
      node(level * TILE_HEIGHT, (full - 1) * TILE_WIDTH + at),
    );
    return same(fullRoot(hashes), node((level + 1) * TILE_HEIGHT, full - 1));
  });
}

/** Root over the hashes of a full tile. */
function fullRoot(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes;
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) =>
      nodeHash(row[2 * at] ?? new Uint8Array(), row[2 * at + 1] ?? new Uint8Array(), sha256),
    );
  return row[0] ?? new Uint8Array();
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

/** @returns what does not fit @throws RangeError a tile is missing or short */
function contradiction(db: DatabaseSync): string | undefined {
  const { size, edge: stored } = logHead(db);
  const node = storedNodes(db)();
  if (!same(Buffer.concat(edgeOf(size, node)), stored)) return 'its edge differs from its tiles';
  if (!newestTilesFit(size, node)) return 'its newest tiles differ from each other';
  if (!lastEntryFits(db, size)) return 'its last entry is not that of its head';
  if (!newestEntriesFit(db, size, node)) return 'its newest entries differ from their hashes';
  if (!newestCheckpointFits(db, size, node)) return 'its newest checkpoint is of another tree';
  return tablesFit(db, size) ? undefined : 'its evidence is of another tree';
}

/**
 * Cheap test at the start that head, tiles, newest entries, newest checkpoint and evidence belong to one tree. It takes a
 * few reads, however large the log is. It finds a file that was put together from two files, and a changed byte in
 * what the next checkpoint rests on. It does not find a changed old entry: that takes a walk over the whole log
 * (`sqlite-check/log-walk.ts`).
 * @returns why the log must not be signed; undefined: it may
 */
export function logFault(db: DatabaseSync): string | undefined {
  try {
    const found = contradiction(db);
    return found === undefined ? undefined : `the log of this ledger contradicts itself: ${found}`;
  } catch (error) {
    // A column of another type, or a missing tile: the reader of the row says which.
    if (error instanceof RangeError || error instanceof TypeError)
      return `the log of this ledger contradicts itself: ${error.message}`;
    if (hasPrimaryCode(error, SQLITE_CORRUPT)) return `the log of this ledger can't be read: ${failureDetail(error)}`;
    throw error;
  }
}

/** @throws LedgerError `ledger-unavailable`: a log with a fault */
export function checkHead(db: DatabaseSync): void {
  const fault = logFault(db);
  if (fault !== undefined) throw new LedgerError('ledger-unavailable', fault);
}
