import { expect } from 'chai';
import fc from 'fast-check';
import { leafHash } from '../../../../core/merkle/hash.ts';
import { consistencyProof, inclusionProof, type NodeReader } from '../../../../core/merkle/proof.ts';
import { verifyConsistency, verifyInclusion } from '../../../../core/merkle/verify-proof.ts';
import { flipped, treeOf } from './a-tree.ts';
import { entriesOf, path, proof, sha256 } from './rfc6962.ts';

const SMALL = 64;
const LARGE = 5000;
const entries = entriesOf(LARGE);
const tree = treeOf(entries);
const rootAt = (size: number): Uint8Array => tree.roots[size] ?? new Uint8Array(0);
const leafAt = (index: number): Uint8Array => leafHash(entries[index] ?? new Uint8Array(0), sha256);
const hexes = (hashes: readonly Uint8Array[]): readonly string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));

const inclusionClaim = (index: number, size: number) => ({
  index,
  size,
  leaf: leafAt(index),
  root: rootAt(size),
  proof: inclusionProof(index, size, tree.nodesAt(size), sha256),
});
const consistencyClaim = (first: number, second: number) => ({
  first,
  second,
  root1: rootAt(first),
  root2: rootAt(second),
  proof: consistencyProof(first, second, tree.nodesAt(second), sha256),
});

const pair = (most: number) =>
  fc.integer({ min: 1, max: most }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)));

const odd = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, 1, 2, 2 ** 53, 2 ** 53 - 1, -0));
const anyHash = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 40 }));
const anyPath = fc.array(anyHash, { maxLength: 70 });
const anyInclusion = fc.record({ index: odd, size: odd, leaf: anyHash, root: anyHash, proof: anyPath });
const anyConsistency = fc.record({ first: odd, second: odd, root1: anyHash, root2: anyHash, proof: anyPath });

describe('inclusionProof', () => {
  it('is the path of the definition for every leaf of every size to 64', () => {
    for (let size = 1; size <= SMALL; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const claim = inclusionClaim(index, size);
        expect(hexes(claim.proof), `${index} of ${size}`).to.deep.equal(hexes(path(index, entries.slice(0, size))));
      }
    }
  });

  it('verifies for any leaf of any larger size', async () => {
    await fc.assert(
      fc.asyncProperty(pair(LARGE), async ([index, size]) => {
        expect(await verifyInclusion(inclusionClaim(index, size), { sha256 })).to.equal(true);
      }),
    );
  });

  it('has at most ⌈log2 size⌉ hashes, also in the largest tree', () => {
    const reads: (readonly [number, number])[] = [];
    const node: NodeReader = (level, index) => {
      reads.push([level, index]);
      return new Uint8Array(32);
    };
    const size = Number.MAX_SAFE_INTEGER;
    expect(inclusionProof(size - 1, size, node, sha256).length).to.equal(52);
    expect(inclusionProof(0, size, node, sha256).length).to.equal(53);
    const outside = reads.filter(([level, index]) => !Number.isSafeInteger(index) || (index + 1) * 2 ** level > size);
    expect(outside).to.deep.equal([]);
  });

  const refusals: readonly (readonly [why: string, index: number, size: number])[] = [
    ['a leaf behind the last', 5, 5],
    ['the empty tree', 0, 0],
    ['a negative index', -1, 5],
    ['an index between two leaves', 0.5, 5],
    ['a size that is no number', 0, Number.NaN],
    ['a size that is not exact', 0, 2 ** 53],
  ];
  for (const [why, index, size] of refusals) {
    it(`refuses ${why}`, () => {
      expect(() => inclusionProof(index, size, tree.nodesAt(LARGE), sha256)).to.throw(RangeError);
    });
  }
});

describe('consistencyProof', () => {
  it('is the proof of the definition for every pair of sizes to 64', () => {
    for (let second = 1; second <= SMALL; second += 1) {
      for (let first = 1; first <= second; first += 1) {
        const claim = consistencyClaim(first, second);
        expect(hexes(claim.proof), `${first} to ${second}`).to.deep.equal(
          hexes(proof(first, entries.slice(0, second))),
        );
      }
    }
  });

  it('verifies for any pair of larger sizes', async () => {
    await fc.assert(
      fc.asyncProperty(pair(LARGE), async ([before, second]) => {
        expect(await verifyConsistency(consistencyClaim(before + 1, second), { sha256 })).to.equal(true);
      }),
    );
  });

  const refusals: readonly (readonly [why: string, first: number, second: number])[] = [
    ['an empty older tree', 0, 5],
    ['an older tree that is larger', 6, 5],
    ['a size between two', 1.5, 5],
    ['a size that is no number', 1, Number.POSITIVE_INFINITY],
  ];
  for (const [why, first, second] of refusals) {
    it(`refuses ${why}`, () => {
      expect(() => consistencyProof(first, second, tree.nodesAt(LARGE), sha256)).to.throw(RangeError);
    });
  }
});

describe('verifyInclusion', () => {
  it('rejects every claim with one bit turned in leaf, root or path', async () => {
    await fc.assert(
      fc.asyncProperty(pair(200), fc.nat(), fc.nat(255), async ([index, size], which, bit) => {
        const claim = inclusionClaim(index, size);
        const hashes = [claim.leaf, claim.root, ...claim.proof].map((hash, at, all) =>
          at === which % all.length ? flipped(hash, bit) : hash,
        );
        const [leaf = claim.leaf, root = claim.root, ...rest] = hashes;
        expect(await verifyInclusion({ ...claim, leaf, root, proof: rest }, { sha256 })).to.equal(false);
      }),
    );
  });

  it('rejects every other index of the same tree', async () => {
    for (let size = 1; size <= 20; size += 1) {
      const claim = inclusionClaim(size - 1, size);
      const others = Array.from({ length: 70 }, (_, index) => index).filter((index) => index !== size - 1);
      const answers = await Promise.all(others.map((index) => verifyInclusion({ ...claim, index }, { sha256 })));
      expect(answers, `size ${size}`).to.deep.equal(others.map(() => false));
    }
  });

  it('answers false and never throws, whatever comes in', async () => {
    await fc.assert(
      fc.asyncProperty(anyInclusion, async (claim) => {
        const { index, size, leaf, root, proof: siblings } = claim;
        expect(await verifyInclusion(claim, { sha256 })).to.equal(
          index === 0 && size === 1 && siblings.length === 0 && leaf.length === 32 && Buffer.compare(leaf, root) === 0,
        );
      }),
    );
  });

  it('works with a hash function that answers later', async () => {
    const later = { sha256: (input: Uint8Array): Promise<Uint8Array> => Promise.resolve(sha256(input)) };
    expect(await verifyInclusion(inclusionClaim(7, 11), later)).to.equal(true);
  });
});

describe('verifyConsistency', () => {
  it('rejects every claim with one bit turned in a root or in the path', async () => {
    await fc.assert(
      fc.asyncProperty(pair(200), fc.nat(), fc.nat(255), async ([before, second], which, bit) => {
        const claim = consistencyClaim(before + 1, second);
        const hashes = [claim.root1, claim.root2, ...claim.proof].map((hash, at, all) =>
          at === which % all.length ? flipped(hash, bit) : hash,
        );
        const [root1 = claim.root1, root2 = claim.root2, ...rest] = hashes;
        expect(await verifyConsistency({ ...claim, root1, root2, proof: rest }, { sha256 })).to.equal(false);
      }),
    );
  });

  it('rejects a history that was rewritten behind the older tree', async () => {
    const forked = treeOf([...entries.slice(0, 6), Uint8Array.of(99), ...entries.slice(7, 20)]);
    for (let first = 7; first < 20; first += 1) {
      const hashes = consistencyProof(first, 20, forked.nodesAt(20), sha256);
      const claim = {
        first,
        second: 20,
        root1: rootAt(first),
        root2: forked.roots[20] ?? new Uint8Array(0),
        proof: hashes,
      };
      expect(await verifyConsistency(claim, { sha256 }), `from ${first}`).to.equal(false);
    }
  });

  it('answers false and never throws, whatever comes in', async () => {
    await fc.assert(
      fc.asyncProperty(anyConsistency, async (claim) => {
        const { first, second, root1, root2, proof: hashes } = claim;
        const same = first === second && first >= 1 && Number.isSafeInteger(first) && hashes.length === 0;
        const answer = await verifyConsistency(claim, { sha256 });
        expect(answer).to.equal(same && root1.length === 32 && Buffer.compare(root1, root2) === 0);
      }),
    );
  });

  it('takes no number beside a power of two for one, however large', async () => {
    const [root, other] = [rootAt(1), rootAt(2)];
    const claim = { first: 2 ** 53 - 2, second: 2 ** 53 - 1, root1: root, root2: other, proof: [root] };
    expect(await verifyConsistency(claim, { sha256 })).to.equal(false);
  });
});
