import { leafHash } from '../../../../core/merkle/hash.ts';
import type { NodeReader } from '../../../../core/merkle/proof.ts';
import { appendLeaf, rootOf, type Edge } from '../../../../core/merkle/tree.ts';
import { sha256, type Entries } from './rfc6962.ts';

/** A tree as a ledger keeps it: entries appended one by one, full subtrees stored once. */
export interface Tree {
  /** Roots at size 0, 1, 2 … */
  readonly roots: readonly Uint8Array[];
  /** @throws Error when a subtree is asked for that is not full at `size`: a ledger has none */
  readonly nodesAt: (size: number) => NodeReader;
  readonly nodeCount: number;
}

export function treeOf(entries: Entries): Tree {
  const nodes = new Map<string, Uint8Array>();
  const roots: Uint8Array[] = [rootOf([], sha256)];
  let edge: Edge = [];
  entries.forEach((entry, size) => {
    const appended = appendLeaf(edge, size, leafHash(entry, sha256), sha256);
    for (const node of appended.newNodes) nodes.set(`${node.level}/${node.index}`, node.hash);
    edge = appended.edge;
    roots.push(rootOf(edge, sha256));
  });
  const nodesAt =
    (size: number): NodeReader =>
    (level, index) => {
      const hash = nodes.get(`${level}/${index}`);
      if (hash === undefined || (index + 1) * 2 ** level > size) throw new Error(`no full subtree ${level}/${index}`);
      return hash;
    };
  return { roots, nodesAt, nodeCount: nodes.size };
}

/** The same bytes with one bit turned. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = Math.floor(bit / 8) % bytes.length;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
  return copy;
}
