import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { keyId, signNote } from '../../../core/merkle/checkpoint.ts';
import { inclusionProof } from '../../../core/merkle/proof.ts';
import { formatTlogProof } from '../../../core/merkle/tlog-proof.ts';
import { formatBundle } from '../../../core/receipt/bundle.ts';
import { isKeysDocument } from '../../../core/receipt/keys-document.ts';
import { privateEntry } from '../../../core/receipt/log-entry.ts';
import { isReceiptRecord } from '../../../core/receipt/record-schema.ts';
import type { ReceiptRecord } from '../../../core/receipt/record.ts';
import vectors from '../../../test/vectors/receipt.json' with { type: 'json' };
import { TestTree } from '../../vectors/merkle.ts';
import { keyOfSeed, sha256, type TestKey } from '../../vectors/primitives.ts';
import { publishedKey } from '../../vectors/published-key.ts';
import { seal, signKeys } from '../../vectors/seal.ts';

const ORIGIN = 'orbs.example/log';
const key = (digit: string): TestKey => keyOfSeed(digit.repeat(64));
const keys = { receipt: key('1'), log: key('2'), root: key('3') } as const;

/** Files of a measurement. */
export interface LineFiles {
  /** Receipts alone. */
  readonly receipts: string;
  /** Bundles, a hundred of which have the same checkpoint. */
  readonly bundles: string;
  /** The same receipts, each with a checkpoint of its own. */
  readonly ownCheckpoints: string;
  /** One bundle. */
  readonly one: string;
  readonly keys: string;
  readonly root: string;
}

const SHARED_BY = 100;

function template(): ReceiptRecord {
  const record: unknown = vectors.sign_cases[0]?.record;
  if (!isJsonObject(record) || !isReceiptRecord(record)) throw new Error('the vectors have no record');
  return record;
}

const idOf = (number: number): string => `01a1f866-0dfa-7001-8000-${number.toString(16).padStart(12, '0')}`;

function keysJws(): string {
  const document: JsonObject = {
    schema: 'https://orbs.example/schemas/keys/v1',
    issuer: 'https://orbs.example',
    log_origin: ORIGIN,
    sequence: 1,
    issued_at: '2026-11-01T00:00:00.000Z',
    keys: [publishedKey(keys.receipt, 'receipt'), publishedKey(keys.log, 'log')],
  };
  if (!isKeysDocument(document)) throw new Error('the keys document does not keep to its schema');
  return signKeys(document, keys.root);
}

function write(path: string, lines: Iterable<string>): string {
  const file = openSync(path, 'w');
  for (const line of lines) writeSync(file, line);
  closeSync(file);
  return path;
}

/**
 * Writes files of as many different signed receipts as `count`, with proofs of one log. They are in the log as receipts
 * of an Orb that was never published, which takes a verifier more work than the other form.
 */
export function writeLines(folder: string, count: number): LineFiles {
  const record = template();
  const sealed = Array.from({ length: count }, (_, number) => {
    const own = {
      ...record,
      receipt_id: `rcpt_${idOf(number)}`,
      execution: { ...record.execution, run_id: `run_${idOf(number)}` },
    };
    const { jws, jwsSha256 } = seal(own, keys.receipt);
    return { jws, entry: encodeUtf8(privateEntry(own, jwsSha256)) };
  });
  const tree = new TestTree(sealed.map(({ entry }) => entry));
  const id = keyId(ORIGIN, keys.log.publicKey, sha256);
  const keysText = keysJws();

  function* bundles(sharedBy: number): Generator<string> {
    for (const [index, { jws }] of sealed.entries()) {
      const size = Math.min(count, (Math.floor(index / sharedBy) + 1) * sharedBy);
      const checkpoint = signNote({ origin: ORIGIN, size, root: tree.root(size) }, id, keys.log.sign);
      const hashes = inclusionProof(index, size, tree.node, sha256);
      const proof = formatTlogProof({ index, hashes, checkpoint });
      yield formatBundle({ format: 'orb-bundle/1', jws, tlog_proof: proof, keys_jws: keysText });
    }
  }

  const path = (name: string): string => join(folder, name);
  const [one = ''] = bundles(SHARED_BY);
  writeFileSync(path('one.json'), one);
  writeFileSync(path('keys.json'), JSON.stringify({ jws: keysText }));
  writeFileSync(path('root.json'), JSON.stringify(keys.root.jwk));
  return {
    receipts: write(
      path('receipts.jsonl'),
      sealed.map(({ jws }) => `${jws}\n`),
    ),
    bundles: write(path('bundles.jsonl'), bundles(SHARED_BY)),
    ownCheckpoints: write(path('own-checkpoints.jsonl'), bundles(1)),
    one: path('one.json'),
    keys: path('keys.json'),
    root: path('root.json'),
  };
}
