import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { readPayload } from '../../../../core/receipt/payload.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import { serialiseRecord } from '../../../../core/receipt/serialise.ts';
import { anyRecord, aRecord } from './a-record.ts';

describe('serialiseRecord', () => {
  it('gives the bytes of an independent RFC 8785 implementation for any record', () => {
    fc.assert(fc.property(anyRecord, (record) => void expect(serialiseRecord(record)).to.equal(canonicalize(record))));
  });

  it('gives what a verifier reads as a record of the closed schema', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const read = readPayload(encodeUtf8(serialiseRecord(record)));
        expect(read.ok && isReceiptRecord(read.value)).to.equal(true);
      }),
    );
  });

  const { policy, input, execution } = aRecord();
  const refusals: readonly (readonly [why: string, record: Parameters<typeof serialiseRecord>[0]])[] = [
    ['a lone surrogate', { ...aRecord(), policy: { ...policy, violations: [{ rule: '\ud800', severity: 'low' }] } }],
    ['a text that is not NFC', { ...aRecord(), input: { ...input, media_type: 'e\u0301' } }],
    ['a fraction', { ...aRecord(), execution: { ...execution, duration_ms: 0.5 } }],
    ['NaN', { ...aRecord(), trust_score: Number.NaN }],
    ['an integer that is not exact', { ...aRecord(), input: { ...input, size_bytes: 2 ** 53 } }],
  ];
  for (const [why, record] of refusals) {
    it(`refuses ${why}`, () => expect(() => serialiseRecord(record)).to.throw(TypeError));
  }
});
