import type { Sha256 } from '../json/digest.ts';
import { emptyRoot, nodeHash } from './hash.ts';

/**
 * The right frontier of a tree: roots of its full subtrees, largest (leftmost) first, 32 bytes each. There is one root
 * for every 1 in the binary form of the tree's size. The edge is enough to append a leaf and to compute the root.
 */
export type Edge = readonly Uint8Array[];

/** Root of a full subtree: leaves [index · 2^level, (index + 1) · 2^level). Once written, it never changes. */
export interface NewNode {
  /** 0 = leaf. */
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/**
 * Appends one leaf (RFC 6962 §2.1). It computes one hash for each full subtree that the leaf completes: one on average.
 * @param size leaves before, 0 … 2^53 − 2; it must match `edge`
 * @param leaf leaf hash, 32 bytes
 * @returns the new edge, and the new full subtrees for the ledger to store, leaf first
 * @throws RangeError the edge does not belong to a tree of this size
 */
export function appendLeaf(
  edge: Edge,
  size: number,
  leaf: Uint8Array,
  sha256: Sha256,
): { readonly edge: Edge; readonly newNodes: readonly NewNode[] } {
  const rest = [...edge];
  let node: NewNode = { level: 0, index: size, hash: leaf };
  const newNodes = [node];
  while (node.index % 2 === 1) {
    const left = rest.pop();
    if (left === undefined) throw new RangeError('the edge is shorter than its size says');
    node = { level: node.level + 1, index: (node.index - 1) / 2, hash: nodeHash(left, node.hash, sha256) };
    newNodes.push(node);
  }
  rest.push(node.hash);
  return { edge: rest, newNodes };
}

/** Root of a tree from its edge. An empty edge gives the root of the empty tree. */
export function rootOf(edge: Edge, sha256: Sha256): Uint8Array {
  const [last, ...others] = edge.toReversed();
  if (last === undefined) return emptyRoot(sha256);
  return others.reduce((right, left) => nodeHash(left, right, sha256), last);
}
