import { encodeUtf8 } from '../../core/json/bytes.ts';
import { digestOf } from '../../core/json/digest.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { vkey } from '../../core/merkle/checkpoint.ts';
import { leafHash } from '../../core/merkle/hash.ts';
import { openCheckpoint } from '../../core/merkle/open-checkpoint.ts';
import { callerTag } from '../../core/receipt/caller-tag.ts';
import { commit } from '../../core/receipt/commitment.ts';
import { isKeysDocument, type KeysDocument } from '../../core/receipt/keys-document.ts';
import { privateEntry, receiptEntry } from '../../core/receipt/log-entry.ts';
import { readPayload } from '../../core/receipt/payload.ts';
import { isReceiptRecord } from '../../core/receipt/record-schema.ts';
import { serialiseRecord } from '../../core/receipt/serialise.ts';
import type { Root } from '../../core/verify/keys.ts';
import type { Opening } from '../../core/verify/openings.ts';
import { verifyBundle, verifyReceipt, type VerifyOptions } from '../../core/verify/verify.ts';
import { ed25519Verify, hmac, keyOfSeed, publicBytes, sha256, sha256Hex } from './primitives.ts';
import {
  asObject,
  asValue,
  fromBase64,
  fromHex,
  has,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  toBase64,
  toHex,
  valueAt,
} from './read.ts';
import { seal, signKeys } from './seal.ts';
import { each, outcomeOf, type Outcome, type Suite } from './suite.ts';
import { TestTree } from './merkle.ts';

const primitivesAt = (now: number) => ({ sha256, ed25519Verify, now: () => now });
const keyAt = (file: JsonObject, name: string): JsonObject => objectAt(objectAt(file, 'keys'), name);

function documentOf(file: JsonObject): JsonObject & KeysDocument {
  const document = keyAt(file, 'document');
  if (!isKeysDocument(document)) throw new Error('keys.document is no keys document');
  return document;
}

function rootOf(file: JsonObject): Root {
  const root = keyAt(file, 'root');
  return { kid: textAt(root, 'kid'), jwk: { crv: 'Ed25519', kty: 'OKP', x: textAt(objectAt(root, 'jwk'), 'x') } };
}

const bytesOf = (item: JsonObject): Uint8Array =>
  has(item, 'raw_b64') ? fromBase64(textAt(item, 'raw_b64')) : encodeUtf8(jcs(valueAt(item, 'value')));

function commitment(item: JsonObject): JsonValue {
  const made = commit(fromHex(textAt(item, 'salt_hex')), bytesOf(item), 'application/json', sha256Hex);
  return { commitment: made.commitment, size_bytes: made.size_bytes };
}

function signed(item: JsonObject, file: JsonObject): JsonValue {
  const record = objectAt(item, 'record');
  if (!isReceiptRecord(record)) throw new Error('the record is not of the closed schema');
  const payload = serialiseRecord(record);
  const { jws, jwsSha256 } = seal(record, keyOfSeed(textAt(keyAt(file, 'receipt_active'), 'private_seed_hex')));
  const entry = receiptEntry(record, jwsSha256);
  return {
    payload_sha256: toHex(sha256(encodeUtf8(payload))),
    jws,
    jws_sha256: jwsSha256,
    log_entry: entry,
    leaf_hash_b64: toBase64(leafHash(encodeUtf8(entry), sha256)),
    private_log_entry: privateEntry(record, jwsSha256),
  };
}

/** Only rows 3 to 6, without the score, the key's window and the log (`about` of the file). */
async function jwsAlone(item: JsonObject, file: JsonObject): Promise<JsonValue> {
  const subject = { jws: textAt(item, 'jws'), proof: null, document: documentOf(file) };
  const judged = await verifyReceipt(subject, { allowUnlogged: true }, primitivesAt(0));
  const { signatureValid } = judged;
  return signatureValid
    ? { verdict: 'valid', code: 'ok', signature_valid: true }
    : { verdict: judged.verdict, code: judged.code, signature_valid: false };
}

const opening = (given: JsonObject): Opening => ({
  salt: fromHex(textAt(given, 'salt_hex')),
  value: has(given, 'raw_b64') ? { bytes: fromBase64(textAt(given, 'raw_b64')) } : { json: valueAt(given, 'value') },
});

function optionsOf(input: JsonObject): VerifyOptions {
  const openings = has(input, 'openings') ? objectAt(input, 'openings') : {};
  return {
    openings: {
      ...(has(openings, 'input') ? { input: opening(objectAt(openings, 'input')) } : {}),
      ...(has(openings, 'output') ? { output: opening(objectAt(openings, 'output')) } : {}),
    },
    allowUnlogged: has(input, 'allow_unlogged') && valueAt(input, 'allow_unlogged') === true,
    ...(has(input, 'max_age_s') ? { maxAgeMs: numberAt(input, 'max_age_s') * 1000 } : {}),
  };
}

async function bundle(item: JsonObject, file: JsonObject): Promise<JsonValue> {
  const input = objectAt(item, 'input');
  const keys = { keys_jws: textAt(objectAt(file, 'keys'), 'document_jws') };
  const bytes = encodeUtf8(JSON.stringify({ ...keys, ...objectAt(input, 'bundle') }));
  const now = has(input, 'now') ? Date.parse(textAt(input, 'now')) : 0;
  const { verdict, code, exit } = await verifyBundle(bytes, rootOf(file), optionsOf(input), primitivesAt(now));
  return { verdict, code, exit };
}

const KEY_NAMES = ['receipt_active', 'log', 'root'] as const;

async function keyCases(value: JsonValue, file: JsonObject): Promise<readonly Outcome[]> {
  const given = asObject(value, 'keys');
  const outcomes: Outcome[] = [];
  for (const name of KEY_NAMES) {
    const key = keyAt(file, name);
    const expected = { kid: textAt(key, 'kid'), jwk: objectAt(key, 'jwk') };
    outcomes.push(
      await outcomeOf(`key ${name}`, expected, () => {
        const { kid, jwk } = keyOfSeed(textAt(key, 'private_seed_hex'));
        return { kid, jwk: { ...jwk } };
      }),
    );
  }
  const origin = documentOf(file).log_origin;
  const log = keyAt(file, 'log');
  const logKey = publicBytes(textAt(objectAt(log, 'jwk'), 'x'));
  outcomes.push(
    await outcomeOf('log vkey', textAt(log, 'vkey'), () => vkey(origin, logKey, sha256)),
    await outcomeOf('signed keys document', textAt(given, 'document_jws'), () =>
      signKeys(documentOf(file), keyOfSeed(textAt(keyAt(file, 'root'), 'private_seed_hex'))),
    ),
  );
  return outcomes;
}

async function logCases(value: JsonValue, file: JsonObject): Promise<readonly Outcome[]> {
  const given = asObject(value, 'log');
  const expected = { size: numberAt(given, 'size'), root: textAt(given, 'root_b64') };
  const entries = textsAt(given, 'entries').map(encodeUtf8);
  const key = publicBytes(textAt(objectAt(keyAt(file, 'log'), 'jwk'), 'x'));
  return [
    await outcomeOf('root of the entries', expected, () => ({
      size: entries.length,
      root: toBase64(new TestTree(entries).root(entries.length)),
    })),
    await outcomeOf('checkpoint', expected, async () => {
      const primitives = { sha256, ed25519Verify };
      const opened = await openCheckpoint(textAt(given, 'checkpoint'), textAt(given, 'origin'), [key], primitives);
      return opened === undefined ? null : { size: opened.size, root: toBase64(opened.root) };
    }),
  ];
}

/** Receipts, keys and verdicts: trust.md §1 to §3. */
export const receipt: Suite = {
  subject: 'receipt',
  data: [],
  parts: {
    keys: keyCases,
    log: logCases,
    payload_cases: each((item) => {
      const read = readPayload(fromBase64(textAt(item, 'payload_b64')));
      return read.ok ? 'ok' : read.code;
    }),
    jcs_cases: each((item) => {
      const parsed: unknown = JSON.parse(textAt(item, 'json'));
      const text = jcs(asValue(parsed));
      return { jcs: text, sha256: digestOf(encodeUtf8(text), sha256) };
    }),
    commitment_cases: each(commitment),
    caller_tag_cases: each((item) =>
      callerTag(fromHex(textAt(item, 'tag_key_hex')), textAt(item, 'tenant'), textAt(item, 'finished_at'), hmac),
    ),
    sign_cases: each(signed),
    jws_cases: each(jwsAlone),
    bundle_cases: each(bundle),
  },
};
