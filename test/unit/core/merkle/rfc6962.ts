import { hash } from 'node:crypto';

// The definitions of RFC 6962 §2.1, word for word: recursive over whole lists, with nothing stored.

export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

export type Entries = readonly Uint8Array[];

const over = (...parts: readonly Uint8Array[]): Uint8Array => sha256(Buffer.concat(parts));

/** The largest power of two smaller than n. */
const k = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

/** Merkle Tree Hash, §2.1. */
export function mth(entries: Entries): Uint8Array {
  const [only] = entries;
  if (only === undefined) return over();
  if (entries.length === 1) return over(Uint8Array.of(0), only);
  const cut = k(entries.length);
  return over(Uint8Array.of(1), mth(entries.slice(0, cut)), mth(entries.slice(cut)));
}

/** Merkle audit path, §2.1.1. */
export function path(m: number, entries: Entries): readonly Uint8Array[] {
  if (entries.length <= 1) return [];
  const cut = k(entries.length);
  const [left, right] = [entries.slice(0, cut), entries.slice(cut)];
  return m < cut ? [...path(m, left), mth(right)] : [...path(m - cut, right), mth(left)];
}

function subproof(m: number, entries: Entries, known: boolean): readonly Uint8Array[] {
  if (m === entries.length) return known ? [] : [mth(entries)];
  const cut = k(entries.length);
  const [left, right] = [entries.slice(0, cut), entries.slice(cut)];
  return m <= cut ? [...subproof(m, left, known), mth(right)] : [...subproof(m - cut, right, false), mth(left)];
}

/** Merkle consistency proof, §2.1.2. */
export const proof = (m: number, entries: Entries): readonly Uint8Array[] => subproof(m, entries, true);

/** Different entries, of different lengths. */
export const entriesOf = (count: number): Entries =>
  Array.from({ length: count }, (_, index) => new Uint8Array((index * 37) % 100).fill(index & 255));
