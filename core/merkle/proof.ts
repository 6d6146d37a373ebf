import type { Sha256 } from '../json/digest.ts';
import { rootOf } from './tree.ts';

/**
 * Returns the stored hash of a full subtree: leaves [index · 2^level, (index + 1) · 2^level), level 0 = leaf hash.
 * Called only for subtrees inside the tree of the proof.
 */
export type NodeReader = (level: number, index: number) => Uint8Array;

function powerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** Root over leaves [start, start + count). As in RFC 6962, `start` is a multiple of a power of two ≥ count. */
function rangeRoot(start: number, count: number, node: NodeReader, sha256: Sha256): Uint8Array {
  const edge: Uint8Array[] = [];
  let from = start;
  let left = count;
  while (left > 0) {
    const width = powerBelow(left + 1);
    edge.push(node(Math.log2(width), from / width));
    from += width;
    left -= width;
  }
  return rootOf(edge, sha256);
}

function checkRange(fits: boolean, ...values: readonly number[]): void {
  if (!fits || !values.every(Number.isSafeInteger)) throw new RangeError('the tree has no such proof');
}

/**
 * Inclusion proof of one leaf (RFC 6962 §2.1.1; trust.md §2.2).
 * @param index position of the leaf, 0 ≤ index < size
 * @param size leaves in the tree, 1 … 2^53 − 1
 * @param node stored hashes of full subtrees
 * @returns siblings from leaf to root, 32 bytes each, at most ⌈log2 size⌉
 * @throws RangeError the leaf is not in the tree: a bug of the caller, because routes check first
 */
export function inclusionProof(index: number, size: number, node: NodeReader, sha256: Sha256): readonly Uint8Array[] {
  checkRange(index >= 0 && index < size, index, size);
  const path: Uint8Array[] = [];
  let start = 0;
  let count = size;
  while (count > 1) {
    const cut = powerBelow(count);
    const right = index - start >= cut;
    path.push(right ? rangeRoot(start, cut, node, sha256) : rangeRoot(start + cut, count - cut, node, sha256));
    start += right ? cut : 0;
    count = right ? count - cut : cut;
  }
  return path.toReversed();
}

/**
 * Consistency proof between two sizes of one tree (RFC 6962 §2.1.2); empty when the sizes are equal.
 * @param first leaves of the older tree, 1 ≤ first ≤ second
 * @param second leaves of the newer tree, at most 2^53 − 1
 * @param node stored hashes of full subtrees
 * @throws RangeError `first` or `second` is out of range, as for `inclusionProof`
 */
export function consistencyProof(
  first: number,
  second: number,
  node: NodeReader,
  sha256: Sha256,
): readonly Uint8Array[] {
  checkRange(first >= 1 && first <= second, first, second);
  const path: Uint8Array[] = [];
  let start = 0;
  let count = second;
  while (first - start < count) {
    const cut = powerBelow(count);
    const right = first - start > cut;
    path.push(right ? rangeRoot(start, cut, node, sha256) : rangeRoot(start + cut, count - cut, node, sha256));
    start += right ? cut : 0;
    count = right ? count - cut : cut;
  }
  // The verifier has the older root already when it is a subtree of the newer tree.
  if (start > 0) path.push(rangeRoot(start, count, node, sha256));
  return path.toReversed();
}
