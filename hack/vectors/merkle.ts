import { encodeUtf8 } from '../../core/json/bytes.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { keyId, signNote, vkey } from '../../core/merkle/checkpoint.ts';
import { emptyRoot, leafHash } from '../../core/merkle/hash.ts';
import { openCheckpoint } from '../../core/merkle/open-checkpoint.ts';
import { consistencyProof, inclusionProof, type NodeReader } from '../../core/merkle/proof.ts';
import { entryBundle, tileBytes, tileLayout, tilePath } from '../../core/merkle/tiles.ts';
import { appendLeaf, rootOf, type Edge } from '../../core/merkle/tree.ts';
import { verifyConsistency, verifyInclusion } from '../../core/merkle/verify-proof.ts';
import { ed25519Verify, keyOfSeed, sha256 } from './primitives.ts';
import { fromBase64, listAt, numberAt, objectAt, textAt, textsAt, toBase64, toHex, valueAt } from './read.ts';
import { each, outcomeOf, pick, type Suite } from './suite.ts';

/** A whole tree in memory: every full subtree, and the right edge at every size. */
export class TestTree {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #edges: Edge[] = [[]];

  constructor(entries: readonly Uint8Array[]) {
    entries.forEach((entry, size) => {
      const { edge, newNodes } = appendLeaf(this.#edges[size] ?? [], size, leafHash(entry, sha256), sha256);
      for (const node of newNodes) this.#nodes.set(`${node.level}/${node.index}`, node.hash);
      this.#edges.push(edge);
    });
  }

  root(size: number): Uint8Array {
    const edge = this.#edges[size];
    if (edge === undefined) throw new RangeError(`no tree of ${size} leaves`);
    return rootOf(edge, sha256);
  }

  readonly node: NodeReader = (level, index) => {
    const hash = this.#nodes.get(`${level}/${index}`);
    if (hash === undefined) throw new RangeError(`no full subtree ${level}/${index}`);
    return hash;
  };
}

const entriesOf = (file: JsonObject): readonly Uint8Array[] => textsAt(file, 'leaf_data').map(encodeUtf8);
const treeOf = (file: JsonObject): TestTree => new TestTree(entriesOf(file));
const hashesAt = (item: JsonObject, name: string): readonly Uint8Array[] => textsAt(item, name).map(fromBase64);
const hashAt = (item: JsonObject, name: string): Uint8Array => fromBase64(textAt(item, name));

function levelAt(item: JsonObject): number | 'entries' {
  return valueAt(item, 'level') === 'entries' ? 'entries' : numberAt(item, 'level');
}

const place = (item: JsonObject): { readonly index: number; readonly width: number } => ({
  index: numberAt(item, 'index'),
  width: numberAt(item, 'width'),
});

/** Vector files hold the bytes themselves, their SHA-256, or both. */
const contentOf = (bytes: Uint8Array, item: JsonObject): JsonObject => ({
  ...('sha256' in item ? { sha256: toHex(sha256(bytes)) } : {}),
  ...('content' in item ? { content: toBase64(bytes) } : {}),
});

const contentIn = (item: JsonObject): JsonObject => pick(item, ...['sha256', 'content'].filter((name) => name in item));

async function open(item: JsonObject, file: JsonObject): Promise<JsonValue> {
  const checkpoint = objectAt(file, 'checkpoint');
  const key = fromBase64(textAt(checkpoint, 'vkey').split('+').slice(2).join('+')).subarray(1);
  const primitives = { sha256, ed25519Verify };
  const opened = await openCheckpoint(textAt(item, 'note'), textAt(checkpoint, 'origin'), [key], primitives);
  return opened === undefined ? { ok: false } : { ok: true, size: opened.size, root: toBase64(opened.root) };
}

function signedCheckpoint(file: JsonObject, given: JsonObject): JsonValue {
  const origin = textAt(given, 'origin');
  const size = numberAt(given, 'size');
  const { publicKey, sign } = keyOfSeed(textAt(given, 'private_seed_hex'));
  const id = keyId(origin, publicKey, sha256);
  const root = treeOf(file).root(size);
  return {
    vkey: vkey(origin, publicKey, sha256),
    key_id_hex: toHex(id),
    root: toBase64(root),
    note: signNote({ origin, size, root }, id, sign),
  };
}

const SIGNED = ['vkey', 'key_id_hex', 'root', 'note'] as const;

/** Merkle log: trust.md §2.2. */
export const merkle: Suite = {
  subject: 'merkle',
  data: ['leaf_data'],
  parts: {
    leaf_hashes: async (value, file) => [
      await outcomeOf('leaf hashes', value, () => entriesOf(file).map((entry) => toBase64(leafHash(entry, sha256)))),
      await outcomeOf('no leaves', toBase64(emptyRoot(sha256)), () => toBase64(treeOf(file).root(0))),
    ],
    trees: each(
      (item, file) => toBase64(treeOf(file).root(numberAt(item, 'size'))),
      (item) => textAt(item, 'root'),
    ),
    inclusion: each(
      (item, file) =>
        inclusionProof(numberAt(item, 'index'), numberAt(item, 'size'), treeOf(file).node, sha256).map(toBase64),
      (item) => listAt(item, 'proof'),
    ),
    consistency: each(
      (item, file) =>
        consistencyProof(numberAt(item, 'first'), numberAt(item, 'second'), treeOf(file).node, sha256).map(toBase64),
      (item) => listAt(item, 'proof'),
    ),
    verify_inclusion: each((item) => {
      const { size, index } = { size: numberAt(item, 'size'), index: numberAt(item, 'index') };
      const [leaf, root, proof] = [hashAt(item, 'leaf'), hashAt(item, 'root'), hashesAt(item, 'proof')];
      return verifyInclusion({ size, index, leaf, root, proof }, { sha256 });
    }),
    verify_consistency: each((item) => {
      const { first, second } = { first: numberAt(item, 'first'), second: numberAt(item, 'second') };
      const [root1, root2, proof] = [hashAt(item, 'root1'), hashAt(item, 'root2'), hashesAt(item, 'proof')];
      return verifyConsistency({ first, second, root1, root2, proof }, { sha256 });
    }),
    tile_paths: each(
      (item) => tilePath({ level: levelAt(item), ...place(item) }),
      (item) => textAt(item, 'path'),
    ),
    tile_layouts: each(
      (item) =>
        tileLayout(numberAt(item, 'size')).map(({ level, full, partialWidth }) => ({
          level,
          full,
          partial_width: partialWidth,
        })),
      (item) => listAt(item, 'tiles'),
    ),
    tiles: each(
      (item, file) =>
        contentOf(
          tileBytes(
            { level: numberAt(item, 'level'), ...place(item) },
            new TestTree(entriesOf(file).slice(0, numberAt(item, 'size'))).node,
          ),
          item,
        ),
      contentIn,
    ),
    entry_bundles: each((item, file) => {
      const { index, width } = place(item);
      return contentOf(entryBundle(entriesOf(file).slice(index * 256, index * 256 + width)), item);
    }, contentIn),
    checkpoint: async (value, file) => {
      const given = objectAt({ value }, 'value');
      return [await outcomeOf('signed checkpoint', pick(given, ...SIGNED), () => signedCheckpoint(file, given))];
    },
    open_checkpoint: each(open),
  },
};
