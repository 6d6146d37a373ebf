import { expect } from 'chai';
import { decide } from '../../../../../core/failover/decide.ts';
import type { ProviderMetrics } from '../../../../../core/failover/metrics.ts';
import type { FailoverInput, FailoverMemory, FailoverOutput } from '../../../../../core/failover/types.ts';
import type { SwapConfig } from '../../../../../crds/manifest.ts';
import {
  aConfig,
  anInput,
  aRecord,
  aStatus,
  busy,
  evaluate,
  fresh,
  idle,
  MINUTE,
  ms,
  none,
  NOW,
  probed,
  reasonsOf,
  traffic,
} from '../../../../support/failover.ts';

// p95 is 2000 ms, the limit 800 ms.
const slow = busy(traffic(100, 1000));
const memory = (change: Partial<FailoverMemory>): FailoverMemory => ({
  degraded: 0,
  trial: 0,
  recovered: 0,
  latched: null,
  ...change,
});
const ready = memory({ degraded: 2 });
const on = (
  providers: Readonly<Record<string, ProviderMetrics>>,
  change: Partial<FailoverInput> = {},
): FailoverOutput => decide(anInput({ metrics: fresh(providers), memory: ready, ...change }));
const target = ({ decision }: FailoverOutput): string => (decision.kind === 'swap' ? decision.to : decision.kind);
const swapConfig = (swap: SwapConfig): Partial<FailoverInput> => ({ config: aConfig(swap) });

describe('rule 4, degraded (failover.md §5.3)', () => {
  it('swaps at the third slow evaluation in a row', () => {
    const metrics = { a: slow, b: probed(260) };
    expect(evaluate(2, (now) => ({ metrics: fresh(metrics, now) })).decision).to.deep.equal({
      kind: 'stay',
      rule: 'degraded',
      why: 'streak',
    });
    const output = evaluate(3, (now) => ({ metrics: fresh(metrics, now) }));
    expect(output.decision).to.deep.equal({ kind: 'swap', rule: 'degraded', to: 'b', reason: 'latency' });
    expect(output.memory).to.deep.equal(memory({}));
  });

  it('begins anew after one that was not slow', () => {
    const output = evaluate(4, (now) => ({
      metrics: fresh({ a: now === NOW + 30_000 ? busy(traffic(100, 300)) : slow, b: probed(260) }, now),
    }));
    expect([target(output), output.memory.degraded]).to.deep.equal(['stay', 1]);
  });

  const rows: readonly [string, Readonly<Record<string, ProviderMetrics>>, Partial<FailoverInput>, string][] = [
    ['a candidate that is faster by a fifth', { a: slow, b: probed(800) }, {}, 'b'],
    ['not one that is less', { a: slow, b: probed(800.002) }, {}, 'stay'],
    ['the fastest', { a: slow, b: probed(300), c: probed(260) }, {}, 'c'],
    ['the first of equal ones', { a: slow, b: probed(260), c: probed(260) }, {}, 'b'],
    ['not one of unknown latency', { a: slow, b: probed(260, { ok: 4, n: 4 }), c: probed(900) }, {}, 'stay'],
    ['not one whose probes are old', { a: slow, b: probed(260, { lastAt: NOW - 90_001 }), c: probed(900) }, {}, 'stay'],
    ['not one with two good probes', { a: slow, b: probed(260, { streak: 2 }), c: probed(900) }, {}, 'stay'],
    ['not one whose breaker is open', { a: slow, b: { ...probed(260), breaker: 'open' }, c: probed(900) }, {}, 'stay'],
    [
      'not before the dwell ends',
      { a: slow, b: probed(260) },
      { persisted: aStatus('a', { dwellUntil: NOW + 1 }) },
      'stay',
    ],
    ['when the dwell ends', { a: slow, b: probed(260) }, { persisted: aStatus('a', { dwellUntil: NOW }) }, 'b'],
    [
      'not a held one',
      { a: slow, b: probed(260), c: probed(900) },
      { persisted: aStatus('a', { holds: [{ provider: 'b', until: NOW + 1, level: 1 }] }) },
      'stay',
    ],
    ['not with the strategy priority', { a: slow, b: probed(260) }, swapConfig({ strategy: 'priority' }), 'stay'],
    ['not below the least that is slow', { a: busy(traffic(100, 250), { base: ms(100) }), b: probed(100) }, {}, 'stay'],
    ['not without a baseline', { a: { ...slow, baseN: 49 }, b: probed(260) }, {}, 'stay'],
    [
      'by a threshold without one',
      { a: { ...slow, baseN: 0 }, b: probed(260) },
      swapConfig({ latency: { threshold_ms: 1999 } }),
      'b',
    ],
    ['not at the threshold', { a: slow, b: probed(260) }, swapConfig({ latency: { threshold_ms: 2000 } }), 'stay'],
    ['not with too few samples', { a: busy(traffic(9, 1000)), b: probed(260) }, {}, 'stay'],
    ['with ten when there is little traffic', { a: busy(traffic(10, 1000)), b: probed(260) }, {}, 'b'],
    [
      'not with ten when that was asked for',
      { a: busy(traffic(10, 1000)), b: probed(260) },
      swapConfig({ latency: { min_samples: 11 } }),
      'stay',
    ],
    [
      'traffic of a candidate before its probes',
      { a: slow, b: { ...busy(traffic(50, 900)), probe: probed(260).probe } },
      {},
      'stay',
    ],
  ];
  for (const [why, providers, change, expected] of rows) {
    it(`takes ${why}: ${expected}`, () => expect(target(on(providers, change))).to.equal(expected));
  }

  it('keeps the baseline of the first slow evaluation', () => {
    const output = evaluate(40, (now) => ({
      metrics: fresh({ a: { ...slow, base: ms(now < NOW + 8 * MINUTE ? 400 : 1900) }, b: probed(990) }, now),
    }));
    expect(output.explain).to.include({ baseMs: 400, limitMs: 800 });
    expect(output.memory.latched).to.deep.equal({ baseMs: 400, fastTicks: 0 });
  });

  it('forgets it after three that were not slow', () => {
    const fast = busy(traffic(100, 300), { base: ms(600) });
    const latched = (times: number): FailoverMemory['latched'] =>
      evaluate(times, (now) => ({ metrics: fresh({ a: now === NOW ? slow : fast }, now) })).memory.latched;
    expect([latched(1), latched(3), latched(4)]).to.deep.equal([
      { baseMs: 400, fastTicks: 0 },
      { baseMs: 400, fastTicks: 2 },
      null,
    ]);
  });
});

describe('rule 4b, trial-ramp (failover.md §5.3)', () => {
  const trialReady = memory({ trial: 2 });
  const none4b: Partial<FailoverInput> = { config: aConfig({ probe: { mode: 'none' } }), memory: trialReady };

  it('starts a share to the first fallback after three slow evaluations', () => {
    const output = on({ a: slow, b: idle, c: idle }, none4b);
    expect(output.decision).to.deep.equal({ kind: 'ramp', rule: 'trial-ramp', to: 'b', percent: 10, trial: true });
    expect(output.next.ramp).to.deep.equal({ provider: 'b', percent: 10, stepStartedAt: NOW, trial: true });
    expect(output.next.activeProvider).to.equal('a');
    expect(reasonsOf(output)).to.deep.equal(['RampStarted']);
  });

  const rows: readonly [string, Readonly<Record<string, ProviderMetrics>>, Partial<FailoverInput>, string][] = [
    ['waits for its own streak', { a: slow, b: idle }, { memory: ready }, 'stay'],
    ['not before the dwell ends', { a: slow, b: idle }, { persisted: aStatus('a', { dwellUntil: NOW + 1 }) }, 'stay'],
    ['not with the strategy priority', { a: slow, b: idle }, swapConfig({ strategy: 'priority' }), 'stay'],
    ['not while a standby can be compared', { a: slow, b: idle, c: probed(990) }, swapConfig({}), 'stay'],
    ['the next after one with bad attempts', { a: slow, b: busy(traffic(5, 100, { bad: 1 })), c: idle }, {}, 'c'],
    ['the next after one whose breaker is open', { a: slow, b: { ...idle, breaker: 'open' }, c: idle }, {}, 'c'],
    ['the next after one with a failed probe', { a: slow, b: probed(200, { ok: 9, streak: 1 }), c: idle }, {}, 'c'],
    [
      'the next after a held one',
      { a: slow, b: idle, c: idle },
      { persisted: aStatus('a', { holds: [{ provider: 'b', until: NOW + 1, level: 1 }] }) },
      'c',
    ],
    ['nobody when there is none', { a: slow }, { resolved: ['a'] }, 'stay'],
  ];
  for (const [why, providers, change, expected] of rows) {
    it(`tries ${why}: ${expected}`, () => {
      const { decision } = on(providers, { ...none4b, ...change });
      expect(decision.kind === 'ramp' ? decision.to : decision.kind).to.equal(expected);
    });
  }

  it('begins at 10 percent when a failback has no steps', () => {
    const config = aConfig({ probe: { mode: 'none' }, failback: { ramp: [100] } });
    expect(on({ a: slow, b: idle }, { ...none4b, config }).next.ramp?.percent).to.equal(10);
  });

  it('tries a provider whose probes are not its own request', () => {
    const config = aConfig({}, { method: 'POST', probe: { method: 'GET' } });
    expect(
      on({ a: slow, b: probed(100), c: probed(100) }, { config, memory: trialReady }).next.ramp?.provider,
    ).to.equal('b');
  });
});

const swaps = (count: number, change: object = {}): Partial<FailoverInput> => ({
  persisted: aStatus('a', {
    swapSeq: count,
    history: Array.from({ length: count }, (_, index) => aRecord({ seq: index + 1, at: NOW - 59 * MINUTE, ...change })),
  }),
});

describe('rule 6, flapping (failover.md §5.3)', () => {
  const providers = { a: slow, b: probed(260) };

  it('freezes for an hour on the fastest provider instead of a seventh swap', () => {
    const output = on(providers, swaps(6));
    expect(output.decision).to.deep.equal({ kind: 'freeze', rule: 'flapping', until: NOW + 60 * MINUTE });
    expect(output.next).to.deep.include({
      activeProvider: 'b',
      frozen: { until: NOW + 60 * MINUTE, reason: 'flapping' },
    });
    expect(output.next.history.at(-1)).to.include({ rule: 'flapping', reason: 'latency' });
    expect(reasonsOf(output)).to.deep.equal(['ProviderChanged', 'FailoverFrozen']);
  });

  it('swaps a sixth time, and counts neither older nor manual swaps', () => {
    expect(on(providers, swaps(5)).decision.kind).to.equal('swap');
    expect(on(providers, swaps(6, { at: NOW - 60 * MINUTE })).decision.kind).to.equal('swap');
    expect(on(providers, swaps(6, { reason: 'manual', rule: 'pinned' })).decision.kind).to.equal('swap');
  });

  it('takes a full history of one hour for too many: older swaps may have fallen out', () => {
    expect(on(providers, swaps(20, { reason: 'manual', rule: 'pinned' })).decision.kind).to.equal('freeze');
  });

  it('stays where it is when nothing can be compared', () => {
    const config = aConfig({ probe: { mode: 'none' } });
    const output = on({ a: slow, b: idle }, { ...swaps(6), config, memory: memory({ trial: 2 }) });
    expect([output.decision.kind, output.next.activeProvider]).to.deep.equal(['freeze', 'a']);
  });

  it('then does nothing for an hour, and writes nothing', () => {
    const persisted = aStatus('a', { frozen: { until: NOW + 1, reason: 'flapping' } });
    const output = on(providers, { persisted });
    expect(output.decision).to.deep.equal({ kind: 'stay', rule: 'frozen', why: 'flapping' });
    expect(output.next).to.deep.equal(persisted);
    expect(target(on(providers, { persisted, now: NOW + 1 }))).to.equal('b');
  });
});

const verdict = (a: ProviderMetrics): FailoverOutput['verdict'] => on({ a }, { memory: memory({}) }).verdict;

describe('rules 1 and 3 (failover.md §5.3)', () => {
  const unusable = { state: 'unusable', why: 'stale', since: NOW } as const;

  it('never swaps on metrics that are unusable, and forgets its streaks', () => {
    const output = decide(
      anInput({ metrics: unusable, memory: memory({ degraded: 2, latched: { baseMs: 400, fastTicks: 2 } }) }),
    );
    expect(output.decision).to.deep.equal({ kind: 'stay', rule: 'metrics-unusable', why: 'stale' });
    expect(output.memory).to.deep.equal(memory({ latched: { baseMs: 400, fastTicks: 0 } }));
    expect(output.next).to.deep.equal(aStatus());
    expect(output.verdict).to.deep.equal({ kind: 'unavailable', why: 'stale' });
  });

  it('stands still with a ramp', () => {
    const ramp = { provider: 'b', percent: 10, stepStartedAt: NOW - 10 * MINUTE, trial: true };
    const persisted = aStatus('a', { ramp });
    expect(decide(anInput({ metrics: unusable, persisted })).next).to.deep.equal(persisted);
  });

  const unreal: readonly [string, Partial<ProviderMetrics['windows']['2m']>, string][] = [
    ['NaN with enough samples', { pq: none }, 'metrics-unusable'],
    ['infinity with enough samples', { p50: { kind: 'none', why: 'infinite' } }, 'metrics-unusable'],
    ['an infinite number', { pq: ms(Infinity) }, 'metrics-unusable'],
    ['two series', { pq: { kind: 'none', why: 'multiple-series' } }, 'healthy'],
    ['NaN without samples', { n: 0, p50: none, pq: none }, 'low-traffic'],
  ];
  for (const [why, change, rule] of unreal) {
    it(`reads ${why} as ${rule}`, () => {
      const output = on({ a: busy(traffic(100, 1000, change)), b: probed(260) });
      expect(output.explain.rule).to.equal(rule);
      expect(output.next).to.deep.equal(aStatus());
    });
  }

  it('is unusable without an age', () => {
    const metrics = { ...fresh({ a: slow, b: probed(260) }), ageMs: NaN };
    expect(decide(anInput({ metrics, memory: ready })).explain.rule).to.equal('metrics-unusable');
  });

  it('says what it knows of the active provider', () => {
    expect(verdict(busy(traffic(100, 300)))).to.deep.equal({
      kind: 'healthy',
      value: 600,
      threshold: 800,
      window: '2m',
      n: 100,
      ageMs: 8000,
    });
    expect(verdict(slow)).to.include({ kind: 'degraded', value: 2000 });
    expect(verdict(busy(traffic(1, 300)))).to.deep.equal({ kind: 'inconclusive', why: 'low-traffic' });
    expect(verdict({ ...slow, baseN: 1 })).to.deep.equal({ kind: 'inconclusive', why: 'no-baseline' });
  });
});
