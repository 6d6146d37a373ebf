import { expect } from 'chai';
import { followPin, type PinInput } from '../../../../core/failover/follow-pin.ts';
import { aPin, aRecord, aStatus, MINUTE, NOW, reasonsOf } from '../../../support/failover.ts';

const HOUR = 60 * MINUTE;
const followed = (change: Partial<PinInput>): ReturnType<typeof followPin> =>
  followPin({
    now: NOW,
    epoch: 7,
    receiptId: 'rcpt_new',
    resolved: ['a', 'b', 'c'],
    pin: null,
    persisted: aStatus(),
    hasSwapConfig: true,
    ...change,
  });
const seen = { handledId: null, overriddenId: null, expiredId: null, firstSeen: { id: 'swp_1', at: NOW } };

describe('followPin (failover.md §8)', () => {
  it('swaps to the pinned provider, with a record, and says who asked for it', () => {
    const { next, holds, swapped, events } = followed({ pin: aPin() });
    expect([holds, swapped]).to.deep.equal(['soft', true]);
    expect(next).to.deep.include({
      activeProvider: 'b',
      since: NOW,
      reason: 'manual',
      swapSeq: 1,
      epoch: 7,
      pin: seen,
    });
    expect(next.history).to.deep.equal([
      aRecord({ at: NOW, reason: 'manual', rule: 'pinned', epoch: 7, receiptId: 'rcpt_new', actor: 'key:k1' }),
    ]);
    expect(reasonsOf({ events })).to.deep.equal(['ProviderChanged']);
  });

  it('lifts a freeze, and ends a ramp and a dwell, by a swap', () => {
    const ramp = { provider: 'c', percent: 10, stepStartedAt: NOW, trial: true };
    const persisted = aStatus('a', { frozen: { until: NOW + HOUR, reason: 'flapping' }, dwellUntil: NOW + HOUR, ramp });
    expect(followed({ pin: aPin(), persisted }).next).to.include({ frozen: null, dwellUntil: null, ramp: null });
  });

  it('writes nothing more once the provider is there', () => {
    const persisted = aStatus('b', { pin: seen });
    const { next, swapped, holds } = followed({ pin: aPin({ mode: 'hard' }), persisted });
    expect(next).to.deep.equal(persisted);
    expect([swapped, holds]).to.deep.equal([false, 'hard']);
  });

  it('follows a pin with mode once a single time', () => {
    const first = followed({ pin: aPin({ mode: 'once' }) });
    expect([first.swapped, first.holds, first.next.pin.handledId]).to.deep.equal([true, 'none', 'swp_1']);
    const back = { ...first.next, activeProvider: 'a' };
    const second = followed({ pin: aPin({ mode: 'once' }), persisted: back });
    expect([second.swapped, second.next]).to.deep.equal([false, back]);
  });

  it('follows no soft pin that a broken provider made leave', () => {
    const persisted = aStatus('a', { pin: { ...seen, overriddenId: 'swp_1' } });
    expect(followed({ pin: aPin(), persisted }).next).to.deep.equal(persisted);
  });

  it('ignores a pin to a provider without execution', () => {
    expect(followed({ pin: aPin({ provider: 'z' }) }).next).to.deep.equal(aStatus());
  });

  it('reports once that a pin has ended, and stays', () => {
    const persisted = aStatus('b', { pin: seen });
    const pin = aPin({ expiresAt: NOW });
    const ended = followed({ pin, persisted });
    expect(reasonsOf(ended)).to.deep.equal(['PinExpired']);
    expect(ended.next).to.deep.equal({ ...persisted, pin: { ...seen, expiredId: 'swp_1' } });
    const again = followed({ pin, persisted: ended.next });
    expect([again.next, again.events]).to.deep.equal([ended.next, []]);
  });

  it('reports nothing for a pin that had ended before any evaluation', () => {
    const { events, next } = followed({ pin: aPin({ expiresAt: NOW - 1 }) });
    expect([events, next]).to.deep.equal([[], aStatus()]);
  });

  it('ends a pin 168 hours after it was seen first', () => {
    const pin = aPin({ expiresAt: NOW + 1000 * HOUR });
    const persisted = aStatus('b', { pin: seen });
    expect(followed({ pin, persisted, now: NOW + 168 * HOUR - 1 }).holds).to.equal('soft');
    expect(reasonsOf(followed({ pin, persisted, now: NOW + 168 * HOUR }))).to.deep.equal(['PinExpired']);
  });

  it('takes a time to come for no moment at which a pin was seen', () => {
    const persisted = aStatus('b', { pin: { ...seen, firstSeen: { id: 'swp_1', at: NOW + 1000 * HOUR } } });
    expect(followed({ pin: aPin(), persisted }).next.pin.firstSeen).to.deep.equal({ id: 'swp_1', at: NOW });
  });

  it('forgets since when a pin was there with the pin', () => {
    expect(followed({ persisted: aStatus('b', { pin: seen }) }).next.pin.firstSeen).to.equal(null);
  });

  it('begins with the first provider', () => {
    const { next, events } = followed({ persisted: null });
    expect([next, events]).to.deep.equal([aStatus('a', { since: NOW }), []]);
  });

  it('leaves a provider that lost its execution, without a swap', () => {
    const { next, events } = followed({ persisted: aStatus('z', { swapSeq: 3 }) });
    expect(next).to.deep.include({ activeProvider: 'a', reason: 'primary', since: NOW, swapSeq: 3, history: [] });
    expect(reasonsOf({ events })).to.deep.equal(['ProviderChanged']);
  });

  it('ends a ramp of an Orb that has no swap_config any more: no rule would', () => {
    const ramp = { provider: 'a', percent: 50, stepStartedAt: NOW, trial: false };
    const persisted = aStatus('b', { reason: 'latency', ramp });
    expect(followed({ persisted }).next.ramp).to.deep.equal(ramp);
    expect(followed({ persisted, hasSwapConfig: false }).next).to.include({ activeProvider: 'b', ramp: null });
  });

  it('ends a ramp to a provider that lost its execution', () => {
    const ramp = { provider: 'z', percent: 10, stepStartedAt: NOW, trial: false };
    expect(followed({ persisted: aStatus('a', { ramp }) }).next.ramp).to.equal(null);
  });

  describe('without swap_config', () => {
    it('stays where the last manual swap went', () => {
      const persisted = aStatus('b', { reason: 'manual' });
      expect(followed({ persisted, hasSwapConfig: false }).next).to.deep.equal(persisted);
    });

    it('follows its manifest until then', () => {
      const { next } = followed({ persisted: aStatus('b'), hasSwapConfig: false });
      expect(next).to.include({ activeProvider: 'a', reason: 'primary', since: NOW });
    });
  });
});
