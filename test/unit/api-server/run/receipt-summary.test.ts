import { expect } from 'chai';
import { recordOf, summaryOf, swapSummaryOf } from '../../../../api-server/run/receipt-summary.ts';

const STORED = { receiptId: 'rcp_1', issuedAt: Date.parse('2026-11-20T10:00:00.250Z') };
const jws = (payload: string): string => `x.${Buffer.from(payload).toString('base64url')}.y`;

describe('the record of a stored JWS', () => {
  it('is its payload', () => {
    expect(recordOf(jws('{"trust_score":7,"text":"ключ"}'))).to.deep.equal({ trust_score: 7, text: 'ключ' });
  });

  for (const [why, text] of [
    ['a list', jws('[1]')],
    ['null', jws('null')],
    ['no JSON', jws('{')],
    ['no payload', 'x'],
    ['nothing', ''],
  ] as const)
    it(`is null for ${why}`, () => expect(recordOf(text)).to.equal(null));
});

describe('the summary of a receipt', () => {
  it('has five members, with nulls for what can not be read', () => {
    const summary = { receipt_id: 'rcp_1', signature_valid: true, timestamp: '2026-11-20T10:00:00.250Z' };
    expect(summaryOf(STORED, { trust_score: 0, risk_level: 'low', more: 1 }, true)).to.deep.equal({
      ...summary,
      trust_score: 0,
      risk_level: 'low',
    });
    for (const record of [null, {}])
      expect(summaryOf(STORED, record, false)).to.deep.equal({
        ...summary,
        signature_valid: false,
        trust_score: null,
        risk_level: null,
      });
  });

  it('of a swap says what it is of, and has no score', () => {
    expect(swapSummaryOf(STORED, true)).to.deep.equal({
      kind: 'swap',
      receipt_id: 'rcp_1',
      signature_valid: true,
      timestamp: '2026-11-20T10:00:00.250Z',
    });
  });
});
