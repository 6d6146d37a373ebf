import { expect } from 'chai';
import { failoverPinOf } from '../../../../core/failover/pin.ts';

const pin = { provider: 'b', expires_at: '2026-02-01T12:00:00Z' };

describe('failoverPinOf (failover.md §8)', () => {
  it('takes every member over', () => {
    const id = 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11';
    expect(failoverPinOf({ ...pin, mode: 'once', id, actor: 'key:k1', reason: 'a test' })).to.deep.equal({
      provider: 'b',
      mode: 'once',
      id,
      expiresAt: Date.parse(pin.expires_at),
      actor: 'key:k1',
      reason: 'a test',
    });
  });

  it('is soft, of nobody, and known by its digest when it says nothing else', () => {
    const found = failoverPinOf(pin);
    expect(found).to.include({ mode: 'soft', actor: null, reason: null });
    expect(found.id).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(failoverPinOf({ ...pin }).id).to.equal(found.id);
    expect(failoverPinOf({ ...pin, expires_at: '2026-02-01T13:00:00Z' }).id).not.to.equal(found.id);
  });

  it('has a digest though its reason is not well-formed text', () => {
    expect(failoverPinOf({ ...pin, reason: '\ud800' }).id).to.match(/^sha256:/);
  });
});
