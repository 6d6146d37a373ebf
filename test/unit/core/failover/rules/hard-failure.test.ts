import { expect } from 'chai';
import { decide } from '../../../../../core/failover/decide.ts';
import type { ProviderMetrics } from '../../../../../core/failover/metrics.ts';
import type { FailoverInput, FailoverOutput } from '../../../../../core/failover/types.ts';
import {
  aConfig,
  anInput,
  aPin,
  aRecord,
  aStatus,
  busy,
  fresh,
  idle,
  MINUTE,
  NOW,
  probed,
  reasonsOf,
  traffic,
} from '../../../../support/failover.ts';

const bad = (attempts: number, failed: number, change: Partial<ProviderMetrics> = {}): ProviderMetrics =>
  busy(traffic(attempts - failed, 200, { attempts, bad: failed }), change);
const broken = bad(20, 20);
const on = (
  providers: Readonly<Record<string, ProviderMetrics>>,
  change: Partial<FailoverInput> = {},
): FailoverOutput => decide(anInput({ metrics: fresh(providers), ...change }));
const target = ({ decision }: FailoverOutput): string => (decision.kind === 'swap' ? decision.to : decision.kind);

describe('rule 2, hard-failure (failover.md §5.3)', () => {
  const failing: readonly [string, ProviderMetrics, string][] = [
    ['half of ten attempts', bad(10, 5), 'b'],
    ['not less than half', bad(10, 4.9), 'stay'],
    ['not of nine', bad(9, 9), 'stay'],
    ['of five when a breaker is open', bad(5, 5, { breaker: 'open' }), 'b'],
    ['not of five when it is half open', bad(5, 5, { breaker: 'half_open' }), 'stay'],
    ['not of four', bad(4, 4, { breaker: 'open' }), 'stay'],
    ['three transport errors without success', { ...bad(3, 3), transportErrors2m: 3 }, 'b'],
    ['not two', { ...bad(2, 2), transportErrors2m: 2 }, 'stay'],
    ['not with a success between', { ...bad(4, 3), transportErrors2m: 3, successes2m: 1 }, 'stay'],
    [
      'the smallest window with ten attempts, not a larger one',
      { ...bad(20, 20), windows: { '2m': traffic(20, 200), '5m': traffic(0, 0), '10m': broken.windows['10m'] } },
      'stay',
    ],
    [
      'a larger window when the smaller ones have too few',
      { ...bad(20, 20), windows: { '2m': traffic(3, 200), '5m': broken.windows['5m'], '10m': broken.windows['10m'] } },
      'b',
    ],
  ];
  for (const [why, a, expected] of failing) {
    it(`leaves on ${why}: ${expected}`, () => expect(target(on({ a, b: probed(260) }))).to.equal(expected));
  }

  const successors: readonly [string, Readonly<Record<string, ProviderMetrics>>, string][] = [
    ['the fastest', { b: probed(300), c: probed(200) }, 'c'],
    ['the first within ten percent', { b: probed(220), c: probed(200) }, 'b'],
    ['a known one before an unknown one', { b: idle, c: probed(900) }, 'c'],
    ['an unknown one when there is no other', { b: idle }, 'b'],
    ['not one with bad attempts', { b: busy(traffic(5, 100, { bad: 1 })), c: idle }, 'c'],
    ['not one whose breaker is open', { b: { ...probed(200), breaker: 'open' }, c: probed(300) }, 'c'],
    ['not one whose probes fail', { b: probed(200, { streak: 2 }), c: probed(300) }, 'c'],
    ['one of unknown latency whose probes are well', { b: probed(200, { ok: 4 }), c: idle }, 'b'],
  ];
  for (const [why, others, expected] of successors) {
    it(`goes to ${why}`, () => expect(target(on({ a: broken, ...others }))).to.equal(expected));
  }

  it('goes to a held provider after all others, and rather than stay', () => {
    const held = aStatus('a', { holds: [{ provider: 'b', until: NOW + MINUTE, level: 1 }] });
    expect(target(on({ a: broken, b: probed(100), c: idle }, { persisted: held }))).to.equal('c');
    const alone = on({ a: broken, b: probed(100) }, { persisted: held, resolved: ['a', 'b'] });
    expect(target(alone)).to.equal('b');
  });

  it('asks for probes when a standby has none', () => {
    expect(on({ a: broken, b: idle, c: idle }).next.probeRequestedAt).to.equal(NOW);
    expect(on({ a: broken, b: probed(200), c: probed(300) }).next.probeRequestedAt).to.equal(null);
    const config = aConfig({ probe: { mode: 'none' } });
    expect(on({ a: broken, b: idle, c: idle }, { config }).next.probeRequestedAt).to.equal(null);
  });

  it('holds the provider that is left, without waiting for a dwell', () => {
    const { next, verdict } = on(
      { a: broken, b: probed(200) },
      { persisted: aStatus('a', { dwellUntil: NOW + MINUTE }) },
    );
    expect(next).to.deep.include({
      activeProvider: 'b',
      reason: 'hard_failure',
      swapSeq: 1,
      holds: [{ provider: 'a', until: NOW + 5 * MINUTE, level: 1 }],
      dwellUntil: NOW + 5 * MINUTE,
    });
    expect(verdict).to.deep.equal({ kind: 'failing', value: 1, threshold: 0.5, window: '2m', n: 20, ageMs: 8000 });
  });

  describe('with all providers down', () => {
    const down = {
      a: broken,
      b: probed(200, { streak: 0, lastAt: NOW + 4 * MINUTE }),
      c: busy(traffic(0, 0, { attempts: 5, bad: 5 })),
    };

    it('stays, asks for probes, and says so once in five minutes', () => {
      const first = on(down);
      expect(first.decision).to.deep.equal({ kind: 'stay', rule: 'all-down', why: 'no-candidate' });
      expect(first.next).to.deep.equal(aStatus('a', { probeRequestedAt: NOW }));
      expect(reasonsOf(first)).to.deep.equal(['AllProvidersDown']);
      const second = on(down, { persisted: first.next, now: NOW + 4 * MINUTE });
      expect([second.next, second.events]).to.deep.equal([first.next, []]);
      expect(on(down, { persisted: first.next, now: NOW + 5 * MINUTE }).next.probeRequestedAt).to.equal(
        NOW + 5 * MINUTE,
      );
    });
  });

  it('leaves a soft pin, and spends it', () => {
    const persisted = aStatus('b', { pin: { ...aStatus().pin, firstSeen: { id: 'swp_1', at: NOW - 1 } } });
    const input = { persisted, pin: aPin() };
    const { next } = on({ b: broken, a: probed(200), c: idle }, input);
    expect([next.activeProvider, next.pin.overriddenId]).to.deep.equal(['a', 'swp_1']);
    const after = on({ b: broken, a: probed(200), c: idle }, { ...input, persisted: next });
    expect(after.next.activeProvider).to.equal('a');
  });

  it('does not leave a hard pin', () => {
    const pin = aPin({ mode: 'hard' });
    const { decision } = on({ b: broken, a: probed(200) }, { persisted: aStatus('b'), pin });
    expect(decision).to.include({ kind: 'stay', rule: 'pinned' });
  });

  it('acts while frozen, once in ten minutes', () => {
    const frozen = { until: NOW + 50 * MINUTE, reason: 'flapping' };
    const last = (minutes: number): Partial<FailoverInput> => ({
      persisted: aStatus('a', {
        frozen,
        history: [aRecord({ at: NOW - minutes * MINUTE, reason: 'hard_failure', rule: 'hard-failure' })],
      }),
    });
    const providers = { a: broken, b: probed(200) };
    expect(target(on(providers, last(10)))).to.equal('b');
    expect(on(providers, last(9.9)).decision).to.deep.equal({
      kind: 'stay',
      rule: 'frozen',
      why: 'hard-failure-too-soon',
    });
  });

  it('does so too when there were as many swaps in the hour as there may be', () => {
    const swaps = Array.from({ length: 6 }, (_, index) =>
      aRecord({ seq: index + 1, at: NOW - (7 - index) * MINUTE, reason: 'hard_failure', rule: 'hard-failure' }),
    );
    const persisted = aStatus('a', { history: swaps, swapSeq: 6 });
    expect(target(on({ a: broken, b: probed(200) }, { persisted }))).to.equal('stay');
  });
});
