import { expect } from 'chai';
import type { FailoverPin, SwapRecord } from '../../../../core/failover/types.ts';
import { isSwapReceipt } from '../../../../core/receipt/swap-record-schema.ts';
import type { SwapReceipt } from '../../../../core/receipt/swap-record.ts';
import { swapReceiptOf, type SwappedOrb } from '../../../../core/swap/swap-receipt-of.ts';
import { aSwappedOrb, aSwapRecord, SWAP_AT, swappedStatus, swapReceiptId } from '../../../support/a-swap.ts';

const minting = {
  issuer: 'https://orbs.example',
  now: SWAP_AT + 900,
  evaluator: { id: 'orb-operator/1.4.0', instance: 'orb-operator' },
  previousReceiptId: null,
};
const receiptOf = (swap: SwapRecord, orb: SwappedOrb = aSwappedOrb([swap])): SwapReceipt =>
  swapReceiptOf(swap, orb, minting);

const PIN: FailoverPin = {
  provider: 'mailgun',
  mode: 'hard',
  id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11',
  expiresAt: SWAP_AT + 7_200_000,
  actor: 'key:k7Qp2xZa',
  reason: 'maintenance',
};
const manual = (change: Partial<SwapRecord> = {}): SwapRecord =>
  aSwapRecord(1, { at: SWAP_AT, reason: 'manual', rule: 'pinned', actor: 'key:k7Qp2xZa', ...change });

/** An Orb whose pin was first seen at the time of the swap. */
function pinned(swap: SwapRecord, pin: FailoverPin | null, seen: { readonly id: string; readonly at: number } | null) {
  const orb = aSwappedOrb([swap], { pin });
  return { ...orb, failover: { ...orb.failover, pin: { ...orb.failover.pin, firstSeen: seen } } };
}

describe('swapReceiptOf', () => {
  const [decided = aSwapRecord(1)] = swappedStatus().history;
  const text = decided.evidence ?? '';

  it('says what was decided, by whom and on what', () => {
    const record = receiptOf(decided);
    expect(isSwapReceipt(record)).to.equal(true);
    expect(record.issued_at).to.equal('2026-11-20T10:31:30.900Z');
    expect(record.evaluator).to.deep.equal({ ...minting.evaluator, epoch: 7 });
    expect(record.swap).to.deep.equal({
      seq: 1,
      kind: 'automatic',
      from: 'sendgrid',
      to: 'mailgun',
      reason: 'latency',
      rule: 'degraded',
      decided_at: '2026-11-20T10:31:30.000Z',
    });
    expect(record.evidence).to.deep.equal(JSON.parse(text));
  });

  it('was never issued before it was decided, whatever the clock says', () => {
    const record = swapReceiptOf(decided, aSwappedOrb([decided]), { ...minting, now: 0 });
    expect(record.issued_at).to.equal(record.swap.decided_at);
  });

  const unsignable: readonly (readonly [string, string | null])[] = [
    ['none', null],
    ['an empty text', ''],
    ['no JSON', '{'],
    ['no object', '[1]'],
    ['another shape', '{"config":{}}'],
    ['a fraction', text.replace('"now":1795170690000', '"now":1795170690000.5')],
    ['a fraction in what nobody reads here', text.replace('"latched_us":590000', '"latched_us":590000.5')],
    ['a text that is not NFC', text.replace('"primary":"sendgrid"', '"primary":"e\u0301"')],
  ];
  for (const [why, evidence] of unsignable) {
    it(`has no evidence when there is ${why}`, () => {
      const record = receiptOf({ ...decided, evidence });
      expect(record.evidence).to.equal(null);
      expect(isSwapReceipt(record)).to.equal(true);
    });
  }

  it('leaves out the queries of evidence that has no room, and says so', () => {
    const long = text.replace('"p50":"', `"p50":"${'x'.repeat(1800)}`);
    const record = receiptOf({ ...decided, evidence: long });
    expect(record.evidence).to.have.nested.property('metrics.promql').that.deep.equals({});
    expect(record.evidence?.replay.omitted).to.deep.equal(['promql']);
    expect(isSwapReceipt(record)).to.equal(true);
  });

  it('has no evidence when it is too large without its queries too', () => {
    const evidence = text.replace('"active":"sendgrid"', `"active":"${'x'.repeat(2000)}"`);
    expect(receiptOf({ ...decided, evidence }).evidence).to.equal(null);
  });

  it('names who asked for a manual swap, and how, while the pin is there', () => {
    const record = receiptOf(manual(), pinned(manual(), PIN, { id: PIN.id, at: SWAP_AT }));
    expect(record.swap.kind).to.equal('manual');
    expect(record.evidence).to.equal(null);
    expect(record.actor).to.deep.equal({
      id: 'key:k7Qp2xZa',
      reason: 'maintenance',
      mode: 'hard',
      expires_at: '2026-11-20T12:31:30.000Z',
      swap_id: PIN.id,
    });
    expect(isSwapReceipt(record)).to.equal(true);
  });

  const unknown = { id: 'key:k7Qp2xZa', reason: null, mode: null, expires_at: null, swap_id: null };
  const other: readonly (readonly [string, ReturnType<typeof pinned>])[] = [
    ['the pin is gone', pinned(manual(), null, null)],
    ['the pin was not yet seen', pinned(manual(), PIN, null)],
    ['another pin was seen since', pinned(manual(), PIN, { id: 'other', at: SWAP_AT })],
    ['the pin came after the swap', pinned(manual(), PIN, { id: PIN.id, at: SWAP_AT + 1 })],
    ['somebody else has changed the pin', pinned(manual(), { ...PIN, actor: 'kubectl' }, { id: PIN.id, at: SWAP_AT })],
    ['the pin is of another provider', pinned(manual(), { ...PIN, provider: 'postmark' }, { id: PIN.id, at: SWAP_AT })],
  ];
  for (const [why, orb] of other) {
    it(`guesses nothing of a manual swap when ${why}`, () => {
      expect(receiptOf(manual(), orb).actor).to.deep.equal(unknown);
    });
  }

  it('signs what people wrote in the one form that a signed document takes', () => {
    const reason = `e\u0301 \ud800 ${'x'.repeat(300)}`;
    const pin = { ...PIN, reason, actor: '' };
    const record = receiptOf(manual({ actor: '' }), pinned(manual(), pin, { id: PIN.id, at: SWAP_AT }));
    expect(record.actor?.id).to.equal(null);
    expect(record.actor?.reason)
      .to.match(/^é \ufffd x+$/)
      .and.have.lengthOf(256);
    expect(isSwapReceipt(record)).to.equal(true);
  });

  it('has a receipt of a manual swap, whatever was written to make it too large', () => {
    const long = '\u0001'.repeat(320);
    const [from, to] = [`${'p'.repeat(62)}a`, `${'p'.repeat(62)}b`];
    const swap = manual({ from, to, actor: long });
    const pin = { ...PIN, provider: to, reason: long, actor: long };
    const orb = { ...pinned(swap, pin, { id: PIN.id, at: SWAP_AT }), orbId: `a.${'b'.repeat(245)}@1.0.0` };
    const record = swapReceiptOf(swap, orb, { ...minting, previousReceiptId: swapReceiptId(9) });
    expect(record.actor).to.include({ id: ' '.repeat(320), reason: ' '.repeat(256) });
    expect(isSwapReceipt(record)).to.equal(true);
  });

  it('names the receipt before it', () => {
    const record = swapReceiptOf(decided, aSwappedOrb([decided]), { ...minting, previousReceiptId: swapReceiptId(9) });
    expect(record.previous_receipt_id).to.equal(swapReceiptId(9));
  });
});
