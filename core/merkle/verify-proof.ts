import { sameBytes } from '../json/hex.ts';
import { nodeInput } from './hash.ts';
import type { Primitives } from './primitives.ts';

const HASH_BYTES = 32;

const areHashes = (hashes: readonly Uint8Array[]): boolean => hashes.every((hash) => hash.length === HASH_BYTES);
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const half = (value: number): number => Math.floor(value / 2);
// The logarithm alone is not enough, because it is rounded: for 2^53 − 1 it is 53.
const isPowerOfTwo = (value: number): boolean => 2 ** Math.round(Math.log2(value)) === value;
const isOdd = (value: number): boolean => value % 2 === 1;

/** Walks up over the levels for which the path has no hash (RFC 9162 §2.1.3.2, 4.c). */
function skipEvenLevels(fn: number, sn: number): readonly [number, number] {
  let [a, b] = [fn, sn];
  while (!isOdd(a) && a !== 0) [a, b] = [half(a), half(b)];
  return [a, b];
}

export interface InclusionClaim {
  readonly index: number;
  readonly size: number;
  /** Hash of the leaf. */
  readonly leaf: Uint8Array;
  /** Siblings from the leaf up. */
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** Verifies an audit path (RFC 9162 §2.1.3.2). @returns false for anything that does not prove the claim; never throws */
export async function verifyInclusion(claim: InclusionClaim, { sha256 }: Pick<Primitives, 'sha256'>): Promise<boolean> {
  const { index, size, leaf, proof, root } = claim;
  if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leaf, root, ...proof])) return false;
  let [fn, sn] = [index, size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      hash = await sha256(nodeInput(sibling, hash));
      [fn, sn] = skipEvenLevels(fn, sn);
    } else hash = await sha256(nodeInput(hash, sibling));
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && sameBytes(hash, root);
}

export interface ConsistencyClaim {
  readonly first: number;
  readonly second: number;
  readonly root1: Uint8Array;
  readonly root2: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Start of the walk of RFC 9162 §2.1.4.2: above the full subtree that both trees share. */
function startOf(first: number, second: number): readonly [number, number] {
  let [fn, sn] = [first - 1, second - 1];
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  return [fn, sn];
}

async function walk(
  claim: ConsistencyClaim,
  path: readonly Uint8Array[],
  { sha256 }: Pick<Primitives, 'sha256'>,
): Promise<boolean> {
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [fn, sn] = startOf(claim.first, claim.second);
  let [old, young] = [start, start];
  for (const hash of rest) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      old = await sha256(nodeInput(hash, old));
      young = await sha256(nodeInput(hash, young));
      [fn, sn] = skipEvenLevels(fn, sn);
    } else young = await sha256(nodeInput(young, hash));
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && sameBytes(old, claim.root1) && sameBytes(young, claim.root2);
}

/** Verifies that one tree extends another (RFC 9162 §2.1.4.2). @returns false otherwise; never throws */
export async function verifyConsistency(
  claim: ConsistencyClaim,
  primitives: Pick<Primitives, 'sha256'>,
): Promise<boolean> {
  const { first, second, root1, root2, proof } = claim;
  if (!isCount(first) || !isCount(second) || first < 1 || first > second || !areHashes([root1, root2, ...proof]))
    return false;
  if (first === second) return proof.length === 0 && sameBytes(root1, root2);
  if (proof.length === 0) return false;
  // A first tree that is full is itself the start of the path.
  const path = isPowerOfTwo(first) ? [root1, ...proof] : proof;
  return walk(claim, path, primitives);
}
