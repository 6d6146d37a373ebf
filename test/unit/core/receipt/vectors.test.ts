import { expect } from 'chai';
import { hmacSha256, sha256, sha256Hex } from '../../../../adapters/keys/primitives.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { jcs } from '../../../../core/json/jcs.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { callerTag } from '../../../../core/receipt/caller-tag.ts';
import { commit } from '../../../../core/receipt/commitment.ts';
import { privateEntry, receiptEntry } from '../../../../core/receipt/log-entry.ts';
import { readPayload } from '../../../../core/receipt/payload.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import type { ReceiptRecord } from '../../../../core/receipt/record.ts';
import { sealReceipt } from '../../../../core/receipt/seal.ts';
import { serialiseRecord } from '../../../../core/receipt/serialise.ts';
import { objectAt, textAt } from '../../../support/members.ts';
import { casesOf, receiptVectors, vectorSealing } from './vectors.ts';

const titleOf = (item: JsonObject): string => `${textAt(item, 'id')} ${JSON.stringify(item['name'] ?? null)}`;

function recordOf(item: JsonObject): ReceiptRecord {
  const record = objectAt(item, 'record');
  if (!isReceiptRecord(record)) throw new TypeError('no record');
  return record;
}

describe('readPayload: the vectors', () => {
  for (const item of casesOf(receiptVectors, 'payload_cases')) {
    it(titleOf(item), () => {
      const read = readPayload(Buffer.from(textAt(item, 'payload_b64'), 'base64'));
      expect(read.ok ? 'ok' : read.code).to.equal(item['expected']);
    });
  }
});

describe('sealReceipt: the vectors', () => {
  for (const item of casesOf(receiptVectors, 'sign_cases')) {
    it(titleOf(item), () => {
      const record = recordOf(item);
      const sealed = sealReceipt(record, vectorSealing);
      expect({
        payload_sha256: Buffer.from(sha256(encodeUtf8(serialiseRecord(record)))).toString('hex'),
        jws: sealed.jws,
        jws_sha256: sealed.jwsSha256,
        log_entry: receiptEntry(record, sealed.jwsSha256),
        private_log_entry: privateEntry(record, sealed.jwsSha256),
      }).to.deep.equal(withoutLeaf(objectAt(item, 'expected')));
    });
  }
});

const withoutLeaf = (expected: object): object =>
  Object.fromEntries(Object.entries(expected).filter(([name]) => name !== 'leaf_hash_b64'));

describe('commit: the vectors', () => {
  for (const item of casesOf(receiptVectors, 'commitment_cases')) {
    it(titleOf(item), () => {
      const raw = item['raw_b64'];
      const bytes = typeof raw === 'string' ? Buffer.from(raw, 'base64') : encodeUtf8(jcs(item['value'] ?? null));
      const made = commit(Buffer.from(textAt(item, 'salt_hex'), 'hex'), bytes, 'application/json', sha256Hex);
      expect(made).to.deep.equal({ media_type: 'application/json', ...objectAt(item, 'expected') });
    });
  }
});

describe('callerTag: the vectors', () => {
  for (const item of casesOf(receiptVectors, 'caller_tag_cases')) {
    it(titleOf(item), () => {
      const key = Buffer.from(textAt(item, 'tag_key_hex'), 'hex');
      expect(callerTag(key, textAt(item, 'tenant'), textAt(item, 'finished_at'), hmacSha256)).to.equal(
        item['expected'],
      );
    });
  }
});
