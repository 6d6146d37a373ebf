import type { StatementSync } from 'node:sqlite';
import { consistencyProof, inclusionProof, type NodeReader } from '../../../core/merkle/proof.ts';
import { entryBundle, hasTile, tileSpan, type TilePlace } from '../../../core/merkle/tiles.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import { sha256 } from '../../keys/primitives.ts';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import { edgeOf, HASH_BYTES, nodesFrom } from '../sqlite/tiles.ts';
import { nothing, numberOf, type Connection, type TableParts, type TableSchema } from './table.ts';

/** The Merkle log: its entries, the tiles of hashes over them, and its head. One entry changes all three. */
interface LogPort {
  /** Appends entries that do not belong to a run (`key_event` …), in this order; returns the index of the first. */
  readonly appendEntries: (entries: readonly string[]) => Promise<number>;
  /** RFC 6962 audit path, leaf to root. @throws RangeError unless 0 ≤ index < size ≤ size of the log */
  readonly inclusionProof: (index: number, size: number) => Promise<readonly Uint8Array[]>;
  /** RFC 6962 consistency proof. @throws RangeError unless 1 ≤ first ≤ second ≤ size of the log */
  readonly consistencyProof: (first: number, second: number) => Promise<readonly Uint8Array[]>;
  /**
   * UTF-8 texts of entries [from, to), at most the first 1000 of them, without those beyond the end.
   * @throws RangeError `from` < 0
   */
  readonly entries: (from: number, to: number) => Promise<readonly string[]>;
  /**
   * Bytes of a tile of hashes, or of a bundle of entries (C2SP tlog-tiles).
   * @throws RangeError the log does not have so many hashes or entries
   */
  readonly tile: (place: TilePlace) => Promise<Uint8Array>;
  /** Entries in the tree. */
  readonly logSize: () => Promise<number>;
  /** Root of the tree of the first `size` entries, 32 bytes. @throws RangeError unless 0 ≤ size ≤ size of the log */
  readonly rootAt: (size: number) => Promise<Uint8Array>;
}

type AppendRow = readonly [op: 'append', entries: readonly string[]];

const schema: TableSchema = {
  // A row of `log_tiles` has 256 hashes: of the leaves, or of an 8th level above. Levels between them are computed.
  1: `CREATE TABLE log_entries(idx INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT;
  CREATE TABLE log_tiles(level INTEGER NOT NULL, idx INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, idx)) STRICT;
  CREATE TABLE log_head(id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL) STRICT;
  INSERT INTO log_head(id, size, edge) VALUES (1, 0, x'');`,
};

export const HEAD = 'SELECT size, edge FROM log_head WHERE id = 1';
const TILE = 'SELECT hashes FROM log_tiles WHERE level = ? AND idx = ?';

/** Longest entry, bytes (trust.md §2.1). */
export const MAX_ENTRY_BYTES = 65_535;

const MAX_ENTRIES = 1000;

/** An entry as bytes; undefined when it is longer than the log allows. */
export function entryBytes(entry: string): Uint8Array | undefined {
  const bytes = Buffer.from(entry, 'utf8');
  return bytes.length > MAX_ENTRY_BYTES ? undefined : bytes;
}

/** Texts of entries with their bytes. */
export type CheckedEntries = readonly (readonly [text: string, bytes: Uint8Array])[];

/** Entries as they are appended; undefined when one is longer than the log allows. */
export function checkedEntries(entries: readonly string[]): CheckedEntries | undefined {
  const checked = entries.flatMap((text) => {
    const bytes = entryBytes(text);
    return bytes === undefined ? [] : [[text, bytes] as const];
  });
  return checked.length === entries.length ? checked : undefined;
}

/** The log in the writer's thread. */
export interface LogRows {
  readonly head: StatementSync;
  readonly tile: StatementSync;
  readonly entryAt: (index: number) => string | undefined;
  readonly insertEntry: StatementSync;
  readonly putTile: StatementSync;
  /** Changes nothing unless the head has the size that is the last parameter. */
  readonly moveHead: StatementSync;
}

/** Reads the text of one entry. */
function entryReader(db: Connection): LogRows['entryAt'] {
  const one = db.prepare('SELECT entry FROM log_entries WHERE idx = ?');
  return (index) => {
    const row = one.get(index);
    return row && blobOf(row, 'entry').toString('utf8');
  };
}

export const logRows = (db: Connection): LogRows => ({
  head: db.prepare(HEAD),
  tile: db.prepare(TILE),
  entryAt: entryReader(db),
  insertEntry: db.prepare('INSERT INTO log_entries(idx, entry) VALUES (?, ?)'),
  putTile: db.prepare(
    'INSERT INTO log_tiles(level, idx, hashes) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET hashes = excluded.hashes',
  ),
  moveHead: db.prepare('UPDATE log_head SET size = ?, edge = ? WHERE id = 1 AND size = ?'),
});

export interface LogHead {
  readonly size: number;
  /** Hashes of the full subtrees, the largest first, 32 bytes each. */
  readonly edge: Buffer;
}

export function logHead(db: Connection): LogHead {
  const row = db.prepare(HEAD).get() ?? {};
  return { size: integerOf(row, 'size'), edge: blobOf(row, 'edge') };
}

export function lastEntry(db: Connection): { readonly index: number; readonly entry: Buffer } | undefined {
  const row = db.prepare('SELECT idx, entry FROM log_entries ORDER BY idx DESC LIMIT 1').get();
  return row === undefined ? undefined : { index: integerOf(row, 'idx'), entry: blobOf(row, 'entry') };
}

/** Gives node hashes from stored tiles. Call the result once per query, so that the query sees one state of the log. */
export function storedNodes(db: Connection): () => NodeReader {
  const tile = db.prepare(TILE);
  return () =>
    nodesFrom((level, index) => {
      const row = tile.get(level, index);
      if (row === undefined) throw new RangeError('a tile of the log is missing');
      return blobOf(row, 'hashes');
    });
}

function logPort(parts: TableParts<AppendRow>): LogPort {
  const { prepare, read, writeLogged } = parts;
  const slice = prepare('SELECT entry FROM log_entries WHERE idx >= ? AND idx < ? ORDER BY idx');
  const head = prepare('SELECT size FROM log_head WHERE id = 1');
  const nodes = storedNodes(parts);
  const size = (): number => integerOf(head.get() ?? {}, 'size');
  const nodesOf = (wanted: number): NodeReader => {
    if (!Number.isSafeInteger(wanted) || wanted > size()) throw new RangeError('the log has no tree of this size');
    return nodes();
  };
  const entries = (from: number, to: number): readonly string[] => {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0)
      throw new RangeError('no range of entries');
    const rows = slice.all(from, Math.min(to, from + MAX_ENTRIES));
    return rows.map((row) => blobOf(row, 'entry').toString('utf8'));
  };
  const tileRow = prepare(TILE);
  const tile = (place: TilePlace): Uint8Array => {
    if (!hasTile(place, size())) throw new RangeError('the log has no such tile');
    if (place.level === 'entries') {
      const { from, to } = tileSpan(place);
      return entryBundle(slice.all(from, to).map((row) => blobOf(row, 'entry')));
    }
    const hashes = blobOf(tileRow.get(place.level, place.index) ?? {}, 'hashes');
    return hashes.subarray(0, place.width * HASH_BYTES);
  };
  const rootAt = (wanted: number): Uint8Array => {
    if (wanted < 0) throw new RangeError('the log has no tree of this size');
    return rootOf(edgeOf(wanted, nodesOf(wanted)), sha256);
  };
  return {
    appendEntries: async (texts) => numberOf(await writeLogged(['append', [...texts]])),
    inclusionProof: (index, wanted) => read(() => inclusionProof(index, wanted, nodesOf(wanted), sha256)),
    consistencyProof: (first, second) => read(() => consistencyProof(first, second, nodesOf(second), sha256)),
    entries: (from, to) => read(() => entries(from, to)),
    tile: (place) => read(() => tile(place)),
    logSize: () => read(size),
    rootAt: (wanted) => read(() => rootAt(wanted)),
  };
}

/** Written by `sqlite-writer/log-writer.ts` and `tree-writer.ts`, which has the tree in memory. */
export const logTable = { schema, port: logPort, writers: nothing };
