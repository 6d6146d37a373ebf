import type { Sha256 } from '../json/digest.ts';
import { emptyRoot, nodeHash } from './hash.ts';

/**
 * The right frontier of a tree: roots of the full subtrees that it consists of, largest (leftmost) first, 32 bytes
 * each; one for every 1 in the binary form of its size. Enough to append and to compute the root.
 */
export type Edge = readonly Uint8Array[];

/** Root of a full subtree: leaves [index · 2^level, (index + 1) · 2^level). Never changes once it is there. */
export interface NewNode {
  /** 0 = leaf. */
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/**
 * Appends one leaf (RFC 6962 §2.1): one hash a full subtree that it completes, amortised one.
 * @param size leaves before, 0 … 2^53 − 2; fits `edge`
 * @param leaf leaf hash, 32 bytes
 * @returns the new edge, and the full subtrees that are new, leaf first: what a ledger stores
 * @throws RangeError the edge is not that of a tree of this size
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

/** Root of a tree from its edge; that of the empty tree for an empty one. */
export function rootOf(edge: Edge, sha256: Sha256): Uint8Array {
  const [last, ...others] = edge.toReversed();
  if (last === undefined) return emptyRoot(sha256);
  return others.reduce((right, left) => nodeHash(left, right, sha256), last);
}
