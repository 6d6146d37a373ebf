import { expect } from 'chai';
import { decide } from '../../../../../core/failover/decide.ts';
import type { ProviderMetrics } from '../../../../../core/failover/metrics.ts';
import { NO_MEMORY, type FailoverInput, type FailoverOutput, type Ramp } from '../../../../../core/failover/types.ts';
import {
  aConfig,
  anInput,
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

const active = busy(traffic(100, 260));
const twice = { kind: 'none', why: 'multiple-series' } as const;
const unreadable = busy(traffic(100, 260, { p50: twice, pq: twice }));
const on = (
  providers: Readonly<Record<string, ProviderMetrics>>,
  change: Partial<FailoverInput> = {},
): FailoverOutput => decide(anInput({ metrics: fresh(providers), persisted: aStatus('b'), ...change }));
const recovered = (count: number): Partial<FailoverInput> => ({ memory: { ...NO_MEMORY, recovered: count } });
const ramp = (percent: number, ageMs: number, change: Partial<Ramp> = {}): Ramp => ({
  provider: 'a',
  percent,
  stepStartedAt: NOW - ageMs,
  trial: false,
  ...change,
});
const ramping = (percent: number, ageMs = MINUTE): Partial<FailoverInput> => ({
  persisted: aStatus('b', { ramp: ramp(percent, ageMs) }),
});

describe('rule 5, failback (failover.md §5.3)', () => {
  it('starts a ramp to a primary that was well twelve times', () => {
    const output = on({ a: probed(210), b: active }, recovered(11));
    expect(output.decision).to.deep.equal({ kind: 'ramp', rule: 'failback', to: 'a', percent: 10, trial: false });
    expect(output.next.ramp).to.deep.equal(ramp(10, 0));
    expect(reasonsOf(output)).to.deep.equal(['RampStarted']);
    const early = on({ a: probed(210), b: active }, recovered(10));
    expect([early.decision.kind, early.memory.recovered]).to.deep.equal(['stay', 11]);
  });

  it('swaps at once with a ramp of 100, and lets the primary dwell', () => {
    const config = aConfig({ failback: { ramp: [100] } });
    const { decision, next } = on({ a: probed(210), b: active }, { ...recovered(11), config });
    expect(decision).to.deep.equal({ kind: 'swap', rule: 'failback', to: 'a', reason: 'failback' });
    expect(next).to.deep.include({ activeProvider: 'a', reason: 'failback', holds: [], dwellUntil: NOW + MINUTE });
  });

  const rows: readonly [string, Readonly<Record<string, ProviderMetrics>>, Partial<FailoverInput>, string][] = [
    ['at most a quarter slower', { a: probed(325), b: active }, {}, 'ramp'],
    ['not more', { a: probed(326), b: active }, {}, 'stay'],
    ['slower, by priority', { a: probed(900), b: active }, { config: aConfig({ strategy: 'priority' }) }, 'ramp'],
    ['not when the traffic of the active one can not be read', { a: probed(900), b: unreadable }, {}, 'stay'],
    ['slower, without traffic on the active one', { a: probed(900), b: idle }, {}, 'ramp'],
    [
      'slower, when probes are another request',
      { a: probed(900), b: active },
      { config: aConfig({}, { probe: { method: 'HEAD' } }) },
      'ramp',
    ],
    ['not with too few probes', { a: probed(210, { n: 7, ok: 7 }), b: active }, {}, 'stay'],
    ['not with too many failed ones', { a: probed(210, { n: 20, ok: 18.9 }), b: active }, {}, 'stay'],
    ['not with an open breaker', { a: { ...probed(210), breaker: 'open' }, b: active }, {}, 'stay'],
    ['not without probes', { a: idle, b: active }, {}, 'stay'],
    ['not without execution', { a: probed(210), b: active }, { resolved: ['b', 'c'] }, 'stay'],
    [
      'not while it is held',
      { a: probed(210), b: active },
      { persisted: aStatus('b', { holds: [{ provider: 'a', until: NOW + 1, level: 1 }] }) },
      'stay',
    ],
    [
      'without data at the end of the hold, with no probes at all',
      { a: idle, b: active },
      {
        config: aConfig({ probe: { mode: 'none' } }),
        persisted: aStatus('b', { holds: [{ provider: 'a', until: NOW, level: 1 }] }),
      },
      'ramp',
    ],
  ];
  for (const [why, providers, change, expected] of rows) {
    it(`goes back to a primary ${why}: ${expected}`, () => {
      expect(on(providers, { ...recovered(11), ...change }).decision.kind).to.equal(expected);
    });
  }

  it('only says once that it could, with the mode manual', () => {
    const config = aConfig({ failback: { mode: 'manual' } });
    const first = on({ a: probed(210), b: active }, { ...recovered(11), config });
    expect([first.decision.kind, first.next, reasonsOf(first)]).to.deep.equal([
      'stay',
      aStatus('b'),
      ['FailbackReady'],
    ]);
    const second = on({ a: probed(210), b: active }, { memory: first.memory, config });
    expect(reasonsOf(second)).to.deep.equal([]);
    expect(second.memory.recovered).to.equal(13);
  });

  it('freezes instead when there were too many swaps', () => {
    const history = Array.from({ length: 6 }, (_, index) => aRecord({ seq: index + 1 }));
    const persisted = aStatus('b', { history, swapSeq: 6 });
    expect(on({ a: probed(210), b: active }, { ...recovered(11), persisted }).decision.kind).to.equal('freeze');
  });
});

const bad = (attempts: number, failed: number): ProviderMetrics =>
  busy(traffic(attempts - failed, 200, { attempts, bad: failed }));

describe('rule 5a on the way back (failover.md §5.3)', () => {
  it('waits for its step', () => {
    const { decision, next } = on({ a: idle, b: active }, ramping(10, MINUTE - 1));
    expect(decision).to.deep.equal({ kind: 'stay', rule: 'ramp', why: 'step-running' });
    expect(next.ramp).to.deep.equal(ramp(10, MINUTE - 1));
  });

  it('goes on step by step, and ends with the swap', () => {
    expect(on({ a: idle, b: active }, ramping(10)).next.ramp).to.deep.equal(ramp(50, 0));
    const { next, decision } = on({ a: idle, b: active }, ramping(50));
    expect(decision).to.deep.equal({ kind: 'swap', rule: 'failback', to: 'a', reason: 'failback' });
    expect([next.ramp, next.activeProvider]).to.deep.equal([null, 'a']);
  });

  const rows: readonly [string, ProviderMetrics, string][] = [
    ['a tenth of its attempts fails', bad(10, 1), 'errors'],
    ['not when there are too few of them', bad(4, 4), ''],
    ['its breaker is open', { ...idle, breaker: 'open' }, 'breaker-open'],
    ['its last probe failed', probed(210, { streak: 0 }), 'probe-failed'],
    ['not when that probe is old', probed(210, { streak: 0, lastAt: NOW - 100_000 }), ''],
    ['it is slow', busy(traffic(10, 326)), 'slow'],
    ['not by too few samples', busy(traffic(9, 326)), ''],
  ];
  for (const [why, a, expected] of rows) {
    it(`gives up when ${why}`, () => {
      const { decision } = on({ a, b: active }, ramping(10));
      expect(decision.kind === 'ramp-abort' ? decision.why : '').to.equal(expected);
    });
  }

  it('gives up when its provider is the primary no more', () => {
    const config = { ...aConfig(), primary: 'c', fallbacks: ['a', 'b'] };
    const { decision, next } = on({ a: idle, b: active }, { ...ramping(50), config });
    expect(decision.kind === 'ramp-abort' ? decision.why : '').to.equal('no-longer-listed');
    expect(next).to.include({ activeProvider: 'b', ramp: null });
  });

  it('does not mind the errors that the active provider has too', () => {
    const poor = busy(traffic(80, 260, { attempts: 100, bad: 20 }));
    expect(on({ a: bad(10, 3), b: poor }, ramping(10)).decision.kind).to.equal('ramp');
  });

  it('does not compare latencies by priority', () => {
    const config = aConfig({ strategy: 'priority' });
    expect(on({ a: busy(traffic(50, 900)), b: active }, { ...ramping(10), config }).decision.kind).to.equal('ramp');
  });

  it('holds a provider that was given up twice as long each time', () => {
    const first = on({ a: bad(10, 9), b: active }, ramping(10));
    expect(first.next).to.deep.include({
      ramp: null,
      activeProvider: 'b',
      swapSeq: 0,
      holds: [{ provider: 'a', until: NOW + 5 * MINUTE, level: 1 }],
      dwellUntil: NOW + 5 * MINUTE,
      aborts: [{ provider: 'a', at: NOW }],
    });
    expect(reasonsOf(first)).to.deep.equal(['RampAborted']);
    const persisted = { ...first.next, ramp: ramp(10, MINUTE) };
    expect(on({ a: bad(10, 9), b: active }, { persisted }).next.holds).to.deep.equal([
      { provider: 'a', until: NOW + 10 * MINUTE, level: 2 },
    ]);
  });

  it('ends a hold at dwell.max, and moves it by the jitter', () => {
    const aborts = Array.from({ length: 9 }, () => ({ provider: 'a', at: NOW - MINUTE }));
    const persisted = aStatus('b', { ramp: ramp(10, MINUTE), aborts });
    const until = (random: number): number | undefined =>
      on({ a: bad(10, 9), b: active }, { persisted, random }).next.holds[0]?.until;
    expect([until(0), until(0.5), until(1)]).to.deep.equal([NOW + 27 * MINUTE, NOW + 30 * MINUTE, NOW + 33 * MINUTE]);
  });

  it('is over when its provider has become the active one', () => {
    const persisted = aStatus('a', { ramp: ramp(10, 0) });
    expect(on({ a: active, b: probed(260) }, { persisted }).next.ramp).to.equal(null);
  });

  it('does not wait for a step that began in the future', () => {
    const persisted = aStatus('b', { ramp: ramp(10, -60 * MINUTE) });
    expect(on({ a: idle, b: active }, { persisted }).next.ramp?.stepStartedAt).to.equal(NOW);
  });
});

const trial = (percent: number, ageMs = MINUTE): Partial<FailoverInput> => ({
  persisted: aStatus('a', { ramp: ramp(percent, ageMs, { provider: 'b', trial: true }) }),
});

describe('rule 5a on trial (failover.md §5.3)', () => {
  const slow = busy(traffic(100, 1000));
  it('goes on with a provider that is faster by a fifth, and ends with the swap', () => {
    expect(on({ a: slow, b: busy(traffic(5, 800)) }, trial(10)).next.ramp?.percent).to.equal(50);
    const { decision, next } = on({ a: slow, b: busy(traffic(5, 800)) }, trial(50));
    expect(decision).to.deep.equal({ kind: 'swap', rule: 'trial-ramp', to: 'b', reason: 'latency' });
    expect(next.holds).to.deep.equal([{ provider: 'a', until: NOW + 5 * MINUTE, level: 1 }]);
  });

  const rows: readonly [string, ProviderMetrics, number, string][] = [
    ['is not faster', busy(traffic(5, 801)), MINUTE, 'not-faster'],
    ['fails half of the time', busy(traffic(5, 200, { attempts: 10, bad: 5 })), MINUTE, 'errors'],
    ['has its breaker open, at any time', { ...idle, breaker: 'open' }, 0, 'breaker-open'],
    ['had too few runs for ten minutes', busy(traffic(4, 200)), 10 * MINUTE, 'too-few-runs'],
    ['not when it has too few runs so far', busy(traffic(4, 200)), 10 * MINUTE - 1, 'stay: too-few-runs'],
    ['not before its step is over', busy(traffic(50, 900)), MINUTE - 1, 'stay: step-running'],
  ];
  for (const [why, b, ageMs, expected] of rows) {
    it(`gives a provider up that ${why}`, () => {
      const { decision } = on({ a: slow, b }, trial(10, ageMs));
      const reported =
        decision.kind === 'ramp-abort' ? decision.why : decision.kind === 'stay' ? `stay: ${decision.why}` : '';
      expect(reported).to.equal(expected);
    });
  }

  it('gives up a provider that is no fallback any more, though it has an execution', () => {
    const config = { ...aConfig(), fallbacks: ['c'] };
    const { decision } = on({ a: slow, b: busy(traffic(5, 800)) }, { ...trial(50), config });
    expect(decision.kind === 'ramp-abort' ? decision.why : '').to.equal('no-longer-listed');
  });

  it('lets a primary that stays dwell for its minimum', () => {
    expect(on({ a: slow, b: busy(traffic(5, 900)) }, trial(10)).next.dwellUntil).to.equal(NOW + MINUTE);
  });
});

describe('times of a status (failover.md §5.2)', () => {
  it('are cut to what a rule can have set, once', () => {
    const far = NOW + 10_000 * MINUTE;
    const persisted = aStatus('a', {
      holds: [{ provider: 'b', until: far, level: 1 }],
      dwellUntil: far,
      frozen: { until: far, reason: 'flapping' },
    });
    const { next } = on({ a: active, b: probed(260) }, { persisted });
    expect(next).to.deep.include({
      holds: [{ provider: 'b', until: NOW + 45 * MINUTE, level: 1 }],
      dwellUntil: NOW + 45 * MINUTE,
      frozen: { until: NOW + 60 * MINUTE, reason: 'flapping' },
    });
    const later = { persisted: next, now: NOW + MINUTE };
    expect(on({ a: active, b: probed(260) }, later).next).to.deep.equal(next);
  });
});
