import type { Sha256 } from '../json/digest.ts';
import { sameBytes } from '../json/hex.ts';
import { leafHash } from './hash.ts';
import { appendLeaf, rootOf, type Edge } from './tree.ts';

const BUNDLE_WIDTH = 256;

/**
 * The tree over a log that is read bundle by bundle (trust.md §2.2). It keeps one hash for each full bundle: 32 bytes
 * for 256 entries. So a bundle that is read again can be compared with what it was the first time.
 */
export class EntryTree {
  readonly #sha256: Sha256;
  /** Edge of the tree whose leaves are the roots of full bundles. */
  #edge: Edge = [];
  readonly #roots: Uint8Array[] = [];

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  #edgeOf(entries: readonly Uint8Array[]): Edge {
    let edge: Edge = [];
    for (const [index, entry] of entries.entries()) {
      ({ edge } = appendLeaf(edge, index, leafHash(entry, this.#sha256), this.#sha256));
    }
    return edge;
  }

  /** Adds the next bundle. @throws RangeError it does not have 256 entries */
  add(entries: readonly Uint8Array[]): void {
    const [root] = this.#edgeOf(entries);
    if (root === undefined || entries.length !== BUNDLE_WIDTH) throw new RangeError('a full bundle has 256 entries');
    ({ edge: this.#edge } = appendLeaf(this.#edge, this.#roots.length, root, this.#sha256));
    this.#roots.push(root);
  }

  /** Root of the tree of all bundles, followed by fewer than 256 entries more. */
  rootWith(entries: readonly Uint8Array[]): Uint8Array {
    return rootOf([...this.#edge, ...this.#edgeOf(entries)], this.#sha256);
  }

  /** Whether these are the entries of the bundle that was added as the `index`-th, from 0. */
  isBundle(index: number, entries: readonly Uint8Array[]): boolean {
    const known = this.#roots[index];
    const [root] = this.#edgeOf(entries);
    return known !== undefined && root !== undefined && entries.length === BUNDLE_WIDTH && sameBytes(known, root);
  }
}
