import { expect } from 'chai';
import { emptyRoot, leafHash, nodeHash } from '../../../../core/merkle/hash.ts';
import { appendLeaf } from '../../../../core/merkle/tree.ts';
import { treeOf } from './a-tree.ts';
import { entriesOf, mth, sha256 } from './rfc6962.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('hashes of the tree', () => {
  it('are those of RFC 6962: no leaves, and an empty leaf', () => {
    expect(hex(emptyRoot(sha256))).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(hex(leafHash(new Uint8Array(0), sha256))).to.equal(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    );
  });

  it('keep leaves and nodes apart: an entry of two hashes is not their parent', () => {
    const [left, right] = [sha256(Uint8Array.of(1)), sha256(Uint8Array.of(2))];
    expect(hex(leafHash(Buffer.concat([left, right]), sha256))).not.to.equal(hex(nodeHash(left, right, sha256)));
  });
});

describe('appendLeaf and rootOf', () => {
  const entries = entriesOf(300);
  const tree = treeOf(entries);

  it('give the root of the definition at every size to 300', () => {
    for (let size = 0; size <= entries.length; size += 1) {
      expect(hex(tree.roots[size] ?? new Uint8Array(0)), `size ${size}`).to.equal(hex(mth(entries.slice(0, size))));
    }
  });

  it('store each full subtree once: fewer than two nodes a leaf', () => {
    expect(tree.nodeCount).to.equal(300 + 150 + 75 + 37 + 18 + 9 + 4 + 2 + 1);
  });

  it('leave the edge that was given as it was', () => {
    const leaf = leafHash(Uint8Array.of(1), sha256);
    const edge = Object.freeze([leaf]);
    expect(appendLeaf(edge, 1, leaf, sha256).edge.length).to.equal(1);
    expect(edge.length).to.equal(1);
  });

  it('refuse an edge that is shorter than its size', () => {
    const leaf = leafHash(Uint8Array.of(1), sha256);
    expect(() => appendLeaf([], 1, leaf, sha256)).to.throw(RangeError);
  });

  it('append beyond 32 bits', () => {
    const leaf = leafHash(Uint8Array.of(1), sha256);
    const { newNodes, edge } = appendLeaf([leaf], 2 ** 40, leaf, sha256);
    expect(newNodes.map(({ level, index }) => [level, index])).to.deep.equal([[0, 2 ** 40]]);
    expect(edge.length).to.equal(2);
  });
});
