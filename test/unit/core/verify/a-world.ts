import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { seal, signKeys } from '../../../../hack/vectors/seal.ts';
import { ed25519Verify, keyOfSeed, sha256, sha256Hex, type TestKey } from '../../../../hack/vectors/primitives.ts';
import { TestTree } from '../../../../hack/vectors/merkle.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { jcs } from '../../../../core/json/jcs.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { keyId, signNote } from '../../../../core/merkle/checkpoint.ts';
import { inclusionProof } from '../../../../core/merkle/proof.ts';
import { formatTlogProof } from '../../../../core/merkle/tlog-proof.ts';
import { commit } from '../../../../core/receipt/commitment.ts';
import { isKeysDocument, type KeysDocument } from '../../../../core/receipt/keys-document.ts';
import { privateEntry, privateSwapEntry, receiptEntry, swapEntry } from '../../../../core/receipt/log-entry.ts';
import { signJws } from '../../../../core/receipt/jws.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import type { ReceiptRecord } from '../../../../core/receipt/record.ts';
import type { Root } from '../../../../core/verify/keys.ts';
import { verifyBundle, type VerifyOptions } from '../../../../core/verify/verify.ts';
import type { Verification } from '../../../../core/verify/verdict.ts';
import type { SwapReceipt } from '../../../../core/receipt/swap-record.ts';
import { aSwapReceipt } from '../../../support/a-swap.ts';
import vectors from '../../../vectors/receipt.json' with { type: 'json' };

const key = (digit: string): TestKey => keyOfSeed(digit.repeat(64));
export const keys = {
  receipt: key('1'),
  log: key('2'),
  root: key('3'),
  stranger: key('4'),
  certificate: key('5'),
} as const;
export const root: Root = { kid: keys.root.kid, jwk: keys.root.jwk };

export const SALT = new Uint8Array(16).fill(7);
export const INPUT = { text: 'hi' } as const;
export const ORIGIN = 'orbs.example/log';

/** 2026-11-20T10:00:01Z, a second after the receipt was issued. */
export const NOW = Date.parse('2026-11-20T10:00:01.250Z');
export const primitives = { sha256, ed25519Verify, now: (): number => NOW };

/** Keys document of most tests: a receipt and a log key. */
export const DOCUMENT: KeysDocument = {
  schema: 'https://orbs.example/schemas/keys/v1',
  issuer: 'https://orbs.example',
  log_origin: ORIGIN,
  sequence: 1,
  issued_at: '2026-11-01T00:00:00.000Z',
  keys: [publishedKey(keys.receipt, 'receipt'), publishedKey(keys.log, 'log')],
};

function theRecord(): ReceiptRecord {
  const value: unknown = vectors.sign_cases[0]?.record;
  if (!isJsonObject(value) || !isReceiptRecord(value)) throw new Error('the vectors have no record');
  return { ...value, input: commit(SALT, encodeUtf8(jcs(INPUT)), 'application/json', sha256Hex) };
}

/** What may differ from a good bundle. */
export interface Changes {
  readonly record?: (record: ReceiptRecord) => ReceiptRecord;
  readonly document?: (document: KeysDocument) => KeysDocument;
  /** The members of the bundle, last of all. */
  readonly bundle?: (bundle: Bundle) => JsonObject;
  readonly signer?: TestKey;
  readonly rootSigner?: TestKey;
  readonly logSigner?: TestKey;
  readonly privateForm?: boolean;
}

interface Bundle extends JsonObject {
  readonly format: string;
  readonly jws: string;
  readonly tlog_proof: string;
  readonly keys_jws: string;
}

const same = <Value>(value: Value): Value => value;

/** Place of the receipt in the log. */
export const INDEX = 5;
const SIZE = 11;

/** Proof of an entry at `INDEX`. */
export function proofOf(entry: string, signer: TestKey, origin = ORIGIN): string {
  const fillers = Array.from({ length: SIZE }, (_, index) => encodeUtf8(`filler ${index}`));
  const tree = new TestTree(fillers.map((filler, index) => (index === INDEX ? encodeUtf8(entry) : filler)));
  const id = keyId(origin, signer.publicKey, sha256);
  const checkpoint = signNote({ origin, size: SIZE, root: tree.root(SIZE) }, id, signer.sign);
  return formatTlogProof({ index: INDEX, hashes: inclusionProof(INDEX, SIZE, tree.node, sha256), checkpoint });
}

/** A signed keys document, also one that breaks its schema. */
export function keysJwsOf(document: KeysDocument, signer: TestKey): string {
  const value: unknown = JSON.parse(JSON.stringify(document));
  if (!isJsonObject(value)) throw new Error('no object');
  // Also documents that break the schema are signed: that is what the verifier has to see.
  return isKeysDocument(value) ? signKeys(value, signer) : signKeys(Object.assign(value, document), signer);
}

/** The proof of an entry that is not the receipt's. */
export const otherProof = (): string => proofOf('{"kind":"other"}', keys.log);

/** A bundle that verifies, but for what is changed. */
export function aBundle(changes: Changes = {}): JsonObject {
  const { signer = keys.receipt, logSigner = keys.log, rootSigner = keys.root, privateForm = false } = changes;
  const { record = same, document = same, bundle = same } = changes;
  const written = record(theRecord());
  const { jws, jwsSha256 } = seal(written, signer);
  const entry = (privateForm ? privateEntry : receiptEntry)(written, jwsSha256);
  const tlogProof = proofOf(entry, logSigner);
  return bundle({
    format: 'orb-bundle/1',
    jws,
    tlog_proof: tlogProof,
    keys_jws: keysJwsOf(document(DOCUMENT), rootSigner),
  });
}

export const bytesOf = (bundle: JsonObject): Uint8Array => encodeUtf8(JSON.stringify(bundle));

export const verified = (changes: Changes = {}, options: VerifyOptions = {}): Promise<Verification> =>
  verifyBundle(bytesOf(aBundle(changes)), root, options, primitives);

export interface SwapChanges extends Pick<Changes, 'document' | 'signer' | 'privateForm'> {
  readonly record?: (record: SwapReceipt) => SwapReceipt;
  /** Signs a payload that no program of ours would. */
  readonly payload?: (record: JsonObject) => JsonObject;
}

const encoding = {
  utf8: (text: string): Uint8Array => Buffer.from(text, 'utf8'),
  base64Url: (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url'),
};

/** The same of a swap. */
export function aSwapBundle(changes: SwapChanges = {}): JsonObject {
  const { signer = keys.receipt, privateForm = false, document = same } = changes;
  const { record = same, payload = same } = changes;
  const written = record(aSwapReceipt());
  const jws = signJws(jcs(payload(written)), 'orb-swap+jws', signer, encoding);
  const jwsSha256 = sha256Hex(jws);
  const entry = (privateForm ? privateSwapEntry : swapEntry)(written, jwsSha256);
  const keysJws = keysJwsOf(document(DOCUMENT), keys.root);
  return { format: 'orb-bundle/1', jws, tlog_proof: proofOf(entry, keys.log), keys_jws: keysJws };
}
