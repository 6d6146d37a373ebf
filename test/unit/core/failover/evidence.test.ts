import { expect } from 'chai';
import { decide } from '../../../../core/failover/decide.ts';
import { evidenceOf, type EvidenceOrigin } from '../../../../core/failover/evidence.ts';
import { withEvidence } from '../../../../core/failover/record-swap.ts';
import { replayEvidence } from '../../../../core/failover/replay-evidence.ts';
import { NO_MEMORY, type FailoverInput, type SwapRecord } from '../../../../core/failover/types.ts';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { isSwapEvidence } from '../../../../core/receipt/swap-evidence-schema.ts';
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
  traffic,
} from '../../../support/failover.ts';

const slow = busy(traffic(100.123456, 1000.98765));
const origin: EvidenceOrigin = {
  source: 'prometheus',
  evaluatedAt: NOW - 300,
  querySha256: `sha256:${'0'.repeat(64)}`,
  promql: (quantile, window) => ({ pq: `histogram_quantile(${quantile}, …[${window}])` }),
};
const ramp = { provider: 'b', percent: 50, stepStartedAt: NOW - MINUTE, trial: true };
const broken = busy(traffic(0, 0, { attempts: 20, bad: 20 }));

/** What is decided, with its evidence as the receipt has it. */
function decided(
  input: FailoverInput,
  from = origin,
): { readonly swap: SwapRecord; readonly text: string; readonly value: JsonValue } {
  const output = decide(input);
  const swap = output.next.history.at(-1);
  const text = evidenceOf(output, input, from);
  if (swap === undefined || text === null) throw new Error('no swap');
  const parsed = readJson(new TextEncoder().encode(text));
  if (!parsed.ok) throw new Error('no JSON');
  return { swap, text, value: parsed.value };
}

const latencySwap = anInput({
  metrics: fresh({ a: slow, b: probed(260.4321), c: idle }),
  memory: { ...NO_MEMORY, degraded: 2, latched: { baseMs: 400.5, fastTicks: 0 } },
});

describe('evidence of a swap (failover.md §10)', () => {
  it('shows the metrics in whole ms and basis points', () => {
    const { value } = decided(latencySwap);
    expect(value).to.deep.nested.include({
      'config.strategy': 'latency',
      'config.quantile_bp': 9500,
      'config.window_s': 120,
      'config.min_samples': 10,
      'config.limit_ms': 801,
      'config.min_improvement_bp': 2000,
      'config.consecutive': 3,
      'metrics.source': 'prometheus',
      'metrics.evaluated_at': '2026-02-01T09:59:59.700Z',
      'metrics.age_ms': 8000,
      'metrics.promql': { pq: 'histogram_quantile(0.95, …[2m])' },
      streak: 3,
      hold: { provider: 'a', until: '2026-02-01T10:05:00.000Z', level: 1 },
    });
    expect(value)
      .to.have.nested.property('candidates[0]')
      .that.includes({ provider: 'a', active: true, why: 'active', p50_ms: 1001 });
    expect(value)
      .to.have.nested.property('candidates[1]')
      .that.includes({ provider: 'b', eligible: true, why: 'chosen', probe_n: 10 });
  });

  it('names the ramp that a swap ends', () => {
    const input = anInput({
      metrics: fresh({ a: slow, b: busy(traffic(20, 300)) }),
      persisted: aStatus('a', { ramp }),
    });
    expect(decided(input).value).to.have.deep.property('ramp', {
      provider: 'b',
      percent: 50,
      trial: true,
      step_started_at: '2026-02-01T09:59:00.000Z',
    });
  });

  it('is none without a swap, and none for a manual one', () => {
    const still = anInput();
    expect(evidenceOf(decide(still), still, origin)).to.equal(null);
    const manual = anInput({ pin: aPin() });
    expect(evidenceOf(decide(manual), manual, origin)).to.equal(null);
  });

  it('leaves the expressions out first, then the providers that it is not about', () => {
    const long = decided(latencySwap, { ...origin, promql: () => ({ pq: 'x'.repeat(2000) }) });
    expect(long.value).to.have.nested.property('replay.omitted').that.deep.equals(['promql']);
    const names = Array.from({ length: 8 }, (_, index) => `fallback-${index}-${'x'.repeat(50)}`);
    const input = anInput({
      ...latencySwap,
      config: {
        ...aConfig(),
        fallbacks: ['b', ...names.slice(1)],
        probe: { ...aConfig().probe, ownRequest: ['a', 'b'] },
      },
      resolved: ['a', 'b', ...names.slice(1)],
      metrics: fresh({ a: slow, b: probed(260), ...Object.fromEntries(names.map((name) => [name, slow])) }),
    });
    const many = decided(input);
    expect(many.value).to.have.nested.property('replay.omitted').that.deep.equals(['promql', 'candidates']);
    expect(many.value).to.have.property('candidates').with.lengthOf(2);
    expect(replayEvidence(many.value, many.swap).follows).to.equal(true);
    for (const { text } of [long, many]) expect(new TextEncoder().encode(text).length).to.be.at.most(3000);
  });

  it('stands in the newest record', () => {
    const { next } = decide(latencySwap);
    expect(withEvidence(next, '{}').history.at(-1)?.evidence).to.equal('{}');
  });

  it('stays in the newest five of twenty', () => {
    const history = Array.from({ length: 20 }, (_, index) =>
      aRecord({ seq: index + 1, at: NOW - 300 * MINUTE, evidence: '{}' }),
    );
    const persisted = aStatus('a', { history, swapSeq: 20 });
    const { next } = decide({ ...latencySwap, persisted });
    expect(next.history.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 2));
    expect(next.history.filter(({ evidence }) => evidence !== null).map(({ seq }) => seq)).to.deep.equal([
      17, 18, 19, 20,
    ]);
  });
});

describe('replayEvidence', () => {
  const rows: readonly [string, FailoverInput][] = [
    ['rule 4', latencySwap],
    ['rule 2', anInput({ metrics: fresh({ a: broken, b: probed(200), c: idle }) })],
    [
      'rule 2 out of a freeze, with a hold on the target',
      anInput({
        metrics: fresh({ a: broken, b: probed(200) }),
        persisted: aStatus('a', {
          frozen: { until: NOW + MINUTE, reason: 'flapping' },
          holds: [{ provider: 'b', until: NOW + MINUTE, level: 1 }],
          history: [aRecord({ at: NOW - 11 * MINUTE, reason: 'hard_failure', rule: 'hard-failure' })],
          swapSeq: 1,
        }),
      }),
    ],
    [
      'the end of a trial',
      anInput({ metrics: fresh({ a: slow, b: busy(traffic(20, 300)) }), persisted: aStatus('a', { ramp }) }),
    ],
    [
      'the end of a failback',
      anInput({
        metrics: fresh({ b: busy(traffic(50, 300)), a: busy(traffic(20, 200)) }),
        persisted: aStatus('b', { ramp: { ...ramp, provider: 'a', trial: false } }),
      }),
    ],
    [
      'the swap before a freeze',
      { ...latencySwap, persisted: aStatus('a', { swapSeq: 6, history: Array.from({ length: 6 }, () => aRecord()) }) },
    ],
    ['a first decision', { ...latencySwap, persisted: null }],
  ];
  for (const [why, input] of rows) {
    it(`comes to the same swap by ${why}`, () => {
      const { value, swap } = decided(input);
      expect(replayEvidence(value, swap)).to.deep.include({ follows: true });
      expect(isSwapEvidence(value)).to.equal(true);
    });
  }

  it('comes to another one when a metric was changed', () => {
    const { value, text, swap } = decided(latencySwap);
    const found = replayEvidence(value, { ...swap, to: 'c' });
    expect(found).to.deep.equal({
      follows: false,
      why: 'With these metrics the rule degraded leads from "a" to "b" (latency), which is not what was recorded.',
    });
    const tamed: unknown = JSON.parse(text.replaceAll('1000988', '100988').replaceAll('2001975', '201975'));
    expect(isJsonObject(tamed) && replayEvidence(tamed, swap)).to.deep.equal({
      follows: false,
      why: 'These metrics lead to no swap.',
    });
  });

  const shown: readonly [string, RegExp, string][] = [
    ['a latency', /"p50_ms":1001/, '"p50_ms":9001'],
    ['a limit', /"limit_ms":801/, '"limit_ms":100'],
    ['a quantile', /"quantile_bp":9500/, '"quantile_bp":5000'],
    ['a streak', /"streak":3/, '"streak":30'],
    ['fewer providers', /,\{"provider":"c"[^}]+\}/, ''],
  ];
  for (const [what, from, to] of shown) {
    it(`does not follow when it shows ${what} that was not decided on`, () => {
      const { text, swap } = decided(latencySwap);
      const dressed: unknown = JSON.parse(text.replace(from, to));
      expect(isJsonObject(dressed) && replayEvidence(dressed, swap)).to.deep.equal({
        follows: false,
        why: 'With its own metrics the rule degraded leads from "a" to "b" (latency), but the evidence shows others.',
      });
    });
  }

  const malformed: readonly [string, JsonValue][] = [
    ['null', null],
    ['a text', 'a'],
    ['nothing to replay', {}],
    ['a replay of nothing', { metrics: { age_ms: 1 }, replay: { now: NOW, state: {}, config: {}, providers: [] } }],
    ['a provider of one member', { metrics: { age_ms: 1 }, replay: { now: NOW, state: {}, providers: [['a']] } }],
  ];
  for (const [why, value] of malformed) {
    it(`does not follow from ${why}`, () => {
      const { follows, why: reported } = replayEvidence(value, aRecord());
      expect(follows).to.equal(false);
      expect(reported).to.match(/missing or malformed/);
    });
  }
});
