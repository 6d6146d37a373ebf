import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { checkpointText } from '../../../core/merkle/checkpoint.ts';
import { leafHash } from '../../../core/merkle/hash.ts';
import { openCheckpoint } from '../../../core/merkle/open-checkpoint.ts';
import { appendLeaf, rootOf, type Edge, type NewNode } from '../../../core/merkle/tree.ts';
import { ed25519Verify, sha256 } from '../../keys/primitives.ts';
import { blobOf, integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { HASH_BYTES, TILE_HEIGHT, TILE_WIDTH } from '../sqlite/tiles.ts';
import { jwsOf } from '../tables/jws-headers.ts';
import { logHead } from '../tables/log.ts';
import { Findings } from './findings.ts';

export interface WalkedLog {
  readonly origin: string;
  /** Public log keys, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** Entries that one step reads: some 5 ms. */
const STEP_ENTRIES = TILE_WIDTH;

const receiptsFrom = (table: 'receipts' | 'swap_receipts'): string =>
  `SELECT log_index, receipt_id, payload, signature, jws_headers.header AS header
   FROM ${table} JOIN jws_headers ON jws_headers.id = ${table}.header WHERE log_index >= ? AND log_index < ?`;

const RECEIPTS = `${receiptsFrom('receipts')} UNION ALL ${receiptsFrom('swap_receipts')}`;

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

function parsed(entry: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(entry.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Computes the whole tree of a log again from its entries, in steps. Every entry must have the hash that its tile holds, and
 * every tile the hash that the tile above holds. Every checkpoint must have the root of its size and a signature of the log's
 * key, and every receipt the digest that its entry holds. Entries that are appended meanwhile are left to the next walk.
 */
export class LogWalk {
  readonly findings = new Findings();
  readonly size: number;
  readonly #log: WalkedLog;
  readonly #entries: StatementSync;
  readonly #tile: StatementSync;
  readonly #checkpoints: StatementSync;
  readonly #receipts: StatementSync;
  /** The tile of each level that was read last. */
  readonly #tiles = new Map<number, { readonly index: number; readonly hashes: Buffer }>();
  #edge: Edge = [];
  #next = 0;

  constructor(db: DatabaseSync, log: WalkedLog) {
    this.#log = log;
    this.#entries = db.prepare('SELECT idx, entry FROM log_entries WHERE idx >= ? AND idx < ?');
    this.#tile = db.prepare('SELECT hashes FROM log_tiles WHERE level = ? AND idx = ?');
    this.#checkpoints = db.prepare('SELECT size, note FROM log_checkpoints WHERE size > ? AND size <= ?');
    this.#receipts = db.prepare(RECEIPTS);
    this.size = logHead(db).size;
  }

  /** @returns true: the whole log was read @throws the error of SQLite */
  async step(): Promise<boolean> {
    const from = this.#next;
    const to = Math.min(this.size, from + STEP_ENTRIES);
    const entries = new Map(this.#entries.all(from, to).map((row) => [integerOf(row, 'idx'), blobOf(row, 'entry')]));
    const notes = new Map(this.#checkpoints.all(from, to).map((row) => [integerOf(row, 'size'), textOf(row, 'note')]));
    const receipts = new Map(this.#receipts.all(from, to, from, to).map((row) => [integerOf(row, 'log_index'), row]));
    for (let index = from; index < to; index += 1) {
      const entry = entries.get(index);
      this.#append(index, entry);
      if (entry !== undefined) this.#compareReceipt(index, entry, receipts.get(index));
      const note = notes.get(index + 1);
      if (note !== undefined) await this.#openNote(index + 1, note);
    }
    this.#next = to;
    return to === this.size;
  }

  #append(index: number, entry: Buffer | undefined): void {
    const stored = this.#storedHash(0, index);
    const leaf = entry === undefined ? undefined : leafHash(entry, sha256);
    const isGood = leaf !== undefined && stored !== undefined && same(leaf, stored);
    if (!isGood) this.findings.add('log', `entry ${index} differs from its hash`);
    // Further nodes rest on what was signed: one changed entry is one fault, not a fault of all tiles above it.
    const { edge, newNodes } = appendLeaf(this.#edge, index, stored ?? leaf ?? Buffer.alloc(HASH_BYTES), sha256);
    this.#edge = edge;
    for (const node of newNodes) this.#compareNode(node);
  }

  #compareNode({ level, index, hash }: NewNode): void {
    if (level === 0 || level % TILE_HEIGHT !== 0) return;
    const stored = this.#storedHash(level / TILE_HEIGHT, index);
    if (stored === undefined || !same(hash, stored))
      this.findings.add('log', `hash ${index} of level ${level / TILE_HEIGHT} differs from the tile below`);
  }

  #storedHash(level: number, index: number): Buffer | undefined {
    const tile = Math.floor(index / TILE_WIDTH);
    const at = (index % TILE_WIDTH) * HASH_BYTES;
    let held = this.#tiles.get(level);
    // A tile that is not full yet may have grown since it was read.
    if (held?.index !== tile || held.hashes.length < at + HASH_BYTES) {
      const row = this.#tile.get(level, tile);
      held = { index: tile, hashes: row === undefined ? Buffer.alloc(0) : blobOf(row, 'hashes') };
      this.#tiles.set(level, held);
    }
    const hash = held.hashes.subarray(at, at + HASH_BYTES);
    return hash.length === HASH_BYTES ? hash : undefined;
  }

  async #openNote(size: number, note: string): Promise<void> {
    const { origin, keys } = this.#log;
    const text = checkpointText({ origin, size, root: rootOf(this.#edge, sha256) });
    const isSigned = (await openCheckpoint(note, origin, keys, { sha256, ed25519Verify })) !== undefined;
    if (!note.startsWith(text) || !isSigned)
      this.findings.add('log', `the checkpoint of size ${size} is of another tree, or is not signed`);
  }

  #compareReceipt(index: number, bytes: Buffer, row: Row | undefined): void {
    const entry = parsed(bytes);
    if (entry?.['kind'] !== 'receipt' && entry?.['kind'] !== 'receipt_private') return;
    const isGood =
      row !== undefined &&
      textOf(row, 'receipt_id') === entry['receipt_id'] &&
      createHash('sha256').update(jwsOf(row)).digest('hex') === entry['jws_sha256'];
    if (!isGood) this.findings.add('receipts', `the receipt of entry ${index} differs from its digest`);
  }
}
