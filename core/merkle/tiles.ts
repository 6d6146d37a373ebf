import { concatBytes } from '../json/bytes.ts';
import type { NodeReader } from './proof.ts';

const TILE_WIDTH = 256;

/** Position of a tile. A level of tiles covers 8 levels of the tree; `entries` stands for a bundle of entries. */
export interface TilePlace {
  readonly level: number | 'entries';
  readonly index: number;
  /** Hashes or entries in it, 1–256; 256 = full. */
  readonly width: number;
}

/** Tiles of one level of a tree. */
export interface TileLevel {
  readonly level: number;
  /** Number of full tiles. */
  readonly full: number;
  /** Hashes in the partial tile; 0 when there is no partial tile. */
  readonly partialWidth: number;
}

/** Path of a tile below the log's prefix (C2SP tlog-tiles): `tile/1/x001/x234/067`, `tile/entries/000.p/3`. */
export function tilePath({ level, index, width }: TilePlace): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  }
  return `tile/${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** The levels of tiles of a tree of this size, lowest first. An empty partial tile is never served. */
export function tileLayout(size: number): readonly TileLevel[] {
  const levels: TileLevel[] = [];
  for (let width = size; width > 0; width = Math.floor(width / TILE_WIDTH)) {
    levels.push({ level: levels.length, full: Math.floor(width / TILE_WIDTH), partialWidth: width % TILE_WIDTH });
  }
  return levels;
}

/** Bytes of a tile of hashes: `width` hashes of 32 bytes, one after the other. */
export function tileBytes(place: TilePlace & { readonly level: number }, node: NodeReader): Uint8Array {
  const { level, index, width } = place;
  return concatBytes(...Array.from({ length: width }, (_, offset) => node(level * 8, index * TILE_WIDTH + offset)));
}

/**
 * Bytes of a bundle of entries: for each entry its length, uint16 big endian, and its bytes.
 * @throws RangeError an entry has more than 65535 bytes
 */
export function entryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    if (entry.length > 0xffff) throw new RangeError('an entry has at most 65535 bytes');
    return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
  });
  return concatBytes(...parts);
}

/**
 * Entries of a bundle.
 * @returns undefined unless the bytes are whole entries with their lengths
 */
export function openEntryBundle(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + 2 + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    if (end > bytes.length) return undefined;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

// C2SP tlog-tiles: three digits a group, all but the last with x, and no group too many.
const TILE_PATH = /^tile\/(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** Reads what `tilePath` writes. @returns undefined for every other text */
export function parseTilePath(path: string): TilePlace | undefined {
  const match = TILE_PATH.exec(path);
  if (match === null) return undefined;
  const [, level = '', groups = '', partial] = match;
  const place: TilePlace = {
    level: level === 'entries' ? 'entries' : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  };
  return Number.isSafeInteger(place.index) && tilePath(place) === path ? place : undefined;
}

/** Leaves under each hash of a tile: 1 in a bundle of entries and in level 0, 256 in level 1. */
const leavesPerHash = (level: TilePlace['level']): number => (level === 'entries' ? 1 : TILE_WIDTH ** level);

/** Leaves [from, to) that a tile covers. */
export function tileSpan({ level, index, width }: TilePlace): { readonly from: number; readonly to: number } {
  const leaves = leavesPerHash(level);
  return { from: index * TILE_WIDTH * leaves, to: (index * TILE_WIDTH + width) * leaves };
}

/** Whether a tree of this size has every hash or entry of the tile. */
export const hasTile = (place: TilePlace, size: number): boolean =>
  place.width <= TILE_WIDTH && tileSpan(place).to <= size;

/** Whether the tile is the partial one of its level in a tree of this size: the only partial width that is served. */
export const isEdgeOf = (place: TilePlace, size: number): boolean =>
  size >= tileSpan(place).to && size < tileSpan({ ...place, width: place.width + 1 }).to;

/** Whether it has all the hashes or entries that a tile can have. */
export const isFull = ({ width }: TilePlace): boolean => width === TILE_WIDTH;
