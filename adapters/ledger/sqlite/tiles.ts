import { nodeHash } from '../../../core/merkle/hash.ts';
import type { NodeReader } from '../../../core/merkle/proof.ts';
import { sha256 } from '../../keys/primitives.ts';

/** Hashes of one full tile (trust.md §2.2). */
export const TILE_WIDTH = 256;
export const HASH_BYTES = 32;
/** Levels of the tree between two levels of tiles: 2^8 = 256. */
export const TILE_HEIGHT = 8;

/** Hashes of a stored tile, 32 bytes each; the last one may be partial. */
type TileOf = (level: number, index: number) => Uint8Array;

function combine(hashes: Uint8Array, first: number, count: number): Uint8Array {
  if (count === 1) {
    const hash = hashes.subarray(first * HASH_BYTES, (first + 1) * HASH_BYTES);
    if (hash.length !== HASH_BYTES) throw new RangeError('a tile of the log is shorter than its tree');
    return hash;
  }
  const half = count / 2;
  return nodeHash(combine(hashes, first, half), combine(hashes, first + half, half), sha256);
}

/**
 * Nodes of all levels, computed from the stored ones: at most 255 hashes a node (0.2 ms). A proof follows one path and
 * so needs few tiles repeatedly. Those tiles are kept as long as the result.
 */
export function nodesFrom(tileOf: TileOf): NodeReader {
  const tiles = new Map<string, Uint8Array>();
  const tile = (level: number, index: number): Uint8Array => {
    const key = `${level}/${index}`;
    const found = tiles.get(key) ?? tileOf(level, index);
    tiles.set(key, found);
    return found;
  };
  return (level, index) => {
    const count = 2 ** (level % TILE_HEIGHT);
    const first = index * count;
    return combine(tile(Math.floor(level / TILE_HEIGHT), Math.floor(first / TILE_WIDTH)), first % TILE_WIDTH, count);
  };
}

/** The edge of a tree from its stored form: hashes of 32 bytes one after the other. */
export const splitEdge = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, position) =>
    Uint8Array.from(bytes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES)),
  );

/** Full subtrees that form a tree of this size, the largest (leftmost) first. */
export function edgeOf(size: number, node: NodeReader): readonly Uint8Array[] {
  const edge: Uint8Array[] = [];
  let start = 0;
  for (let level = 52; level >= 0; level -= 1) {
    const count = 2 ** level;
    if (size - start < count) continue;
    edge.push(node(level, start / count));
    start += count;
  }
  return edge;
}
