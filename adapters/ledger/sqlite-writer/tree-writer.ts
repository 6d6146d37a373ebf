import { leafHash } from '../../../core/merkle/hash.ts';
import { appendLeaf, rootOf } from '../../../core/merkle/tree.ts';
import { sha256 } from '../../keys/primitives.ts';
import { blobOf, integerOf } from '../sqlite/columns.ts';
import { HASH_BYTES, splitEdge, TILE_HEIGHT, TILE_WIDTH } from '../sqlite/tiles.ts';
import type { LogRows } from '../tables/log.ts';

interface Tile {
  readonly index: number;
  /** Room for a full tile. */
  readonly hashes: Buffer;
  width: number;
}

/**
 * The Merkle tree in the writer's memory: its head, its edge, and the tiles that are not yet full. It is made from the
 * stored head. After a rollback, drop it and make another: memory follows the disk.
 */
export class TreeWriter {
  readonly #rows: LogRows;
  #size: number;
  #storedSize: number;
  #edge: readonly Uint8Array[];
  /** By level: the tile that the next hash goes to. */
  readonly #tiles = new Map<number, Tile>();
  readonly #changed = new Map<Tile, number>();

  /** @param rows kept as long as the connection, so that a new `TreeWriter` prepares no statement again */
  constructor(rows: LogRows) {
    this.#rows = rows;
    const head = rows.head.get();
    if (head === undefined) throw new TypeError('the ledger has no log head');
    this.#size = integerOf(head, 'size');
    this.#storedSize = this.#size;
    this.#edge = splitEdge(blobOf(head, 'edge'));
  }

  /** Entries in the tree, including those of the open transaction. */
  size(): number {
    return this.#size;
  }

  root(): Uint8Array {
    return rootOf(this.#edge, sha256);
  }

  /** Adds an entry and its hashes; returns its index. */
  append(entry: Uint8Array): number {
    const index = this.#size;
    this.#rows.insertEntry.run(index, entry);
    const { edge, newNodes } = appendLeaf(this.#edge, index, leafHash(entry, sha256), sha256);
    for (const node of newNodes) {
      if (node.level % TILE_HEIGHT === 0) this.#addHash(node.level / TILE_HEIGHT, node.index, node.hash);
    }
    this.#edge = edge;
    this.#size = index + 1;
    return index;
  }

  /** Writes the changes since the last call: once per transaction, before its commit. */
  store(): void {
    if (this.#size === this.#storedSize) return;
    for (const [tile, level] of this.#changed) {
      this.#rows.putTile.run(level, tile.index, tile.hashes.subarray(0, tile.width * HASH_BYTES));
    }
    this.#changed.clear();
    const moved = this.#rows.moveHead.run(this.#size, Buffer.concat(this.#edge), this.#storedSize);
    if (moved.changes !== 1) throw new Error('the head of the log moved under its only writer');
    this.#storedSize = this.#size;
  }

  #addHash(level: number, index: number, hash: Uint8Array): void {
    const position = index % TILE_WIDTH;
    const tile = this.#tileFor(level, Math.floor(index / TILE_WIDTH), position);
    tile.hashes.set(hash, position * HASH_BYTES);
    tile.width = position + 1;
    this.#changed.set(tile, level);
  }

  #tileFor(level: number, index: number, position: number): Tile {
    const known = this.#tiles.get(level);
    if (known?.index === index) return known;
    const tile: Tile = { index, hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES), width: position };
    if (position > 0) this.#fill(tile, level);
    this.#tiles.set(level, tile);
    return tile;
  }

  #fill(tile: Tile, level: number): void {
    const row = this.#rows.tile.get(level, tile.index);
    const stored = row === undefined ? Buffer.alloc(0) : blobOf(row, 'hashes');
    if (stored.length !== tile.width * HASH_BYTES) throw new Error('a tile of the log does not fit its head');
    tile.hashes.set(stored);
  }
}
