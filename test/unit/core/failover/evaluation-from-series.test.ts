import { expect } from 'chai';
import { evaluationFromSeries, type SeriesSample } from '../../../../core/failover/evaluation-from-series.ts';

const AT = 1_795_168_800;
const CONTEXT = { quantile: 0.95, active: { provider: 'a', since: 0 } };

const sample = (name: string, value: number, labels: Readonly<Record<string, string>> = {}): SeriesSample => ({
  name,
  value,
  labels: { orb_namespace: 'acme', orb_id: 'acme.x@1.0.0', instance: 'operator-1', ...labels },
});

const evaluation = (at: number, rule: string, instance: string): readonly SeriesSample[] => [
  sample('orb_swap_evaluated_timestamp_seconds', at, { instance }),
  sample('orb_swap_verdict', 1, { rule, kind: 'healthy', instance }),
  sample('orb_swap_limit_seconds', 1.18, { instance }),
  sample('orb_swap_samples', 118, { provider: 'a', evidence: 'traffic', window: '2m', instance }),
  sample('orb_swap_latency_seconds', 0.598, {
    provider: 'a',
    evidence: 'traffic',
    window: '2m',
    quantile: '0.95',
    instance,
  }),
];

const probe = (instance: string, at: number, outcome: string): readonly SeriesSample[] => [
  sample('orb_provider_probe_last_timestamp_seconds', at, { provider: 'b', instance }),
  sample('orb_provider_probe_last_duration_seconds', 0.209, { provider: 'b', outcome, instance }),
];

describe('evaluationFromSeries', () => {
  const unusable: readonly [string, readonly SeriesSample[]][] = [
    ['without any series', []],
    ['without an evaluation', [sample('orb_swap_verdict', 1, { rule: 'healthy', kind: 'healthy' })]],
    ['without a verdict', [sample('orb_swap_evaluated_timestamp_seconds', AT)]],
    ['of a rule that is not known', evaluation(AT, 'astrology', 'operator-1')],
    [
      'whose time is NaN',
      evaluation(AT, 'healthy', 'o').map((one) =>
        one.name === 'orb_swap_evaluated_timestamp_seconds' ? { ...one, value: Number.NaN } : one,
      ),
    ],
  ];
  for (const [why, samples] of unusable) {
    it(`is undefined ${why}`, () => expect(evaluationFromSeries(samples, CONTEXT)).to.equal(undefined));
  }

  it('takes value and threshold of the verdict from the active provider', () => {
    const summary = evaluationFromSeries(evaluation(AT, 'healthy', 'operator-1'), CONTEXT);
    expect(summary?.verdict).to.deep.equal({ kind: 'healthy', valueMs: 598, thresholdMs: 1180, window: '2m', n: 118 });
  });

  it('gives the verdict no value once another provider is active', () => {
    const context = { quantile: 0.95, active: { provider: 'a', since: AT * 1000 } };
    const summary = evaluationFromSeries(evaluation(AT, 'degraded', 'operator-1'), context);
    expect(summary?.verdict).to.deep.equal({ kind: 'healthy', valueMs: null, thresholdMs: null, window: null, n: 0 });
  });

  for (const turn of [false, true]) {
    it(`believes the operator that evaluated last, ${turn ? 'named first' : 'named last'}`, () => {
      const both = [evaluation(AT, 'frozen', 'operator-1'), evaluation(AT + 15, 'healthy', 'operator-2')];
      const summary = evaluationFromSeries((turn ? both.toReversed() : both).flat(), CONTEXT);
      expect([summary?.rule, summary?.evaluatedAt]).to.deep.equal(['healthy', (AT + 15) * 1000]);
    });
  }

  it('shows the worst breaker and the last probe of all processes', () => {
    const samples = [
      ...evaluation(AT, 'healthy', 'operator-1'),
      sample('orb_provider_breaker_state', 0, { provider: 'a', instance: 'api-1' }),
      sample('orb_provider_breaker_state', 2, { provider: 'b', instance: 'api-1' }),
      sample('orb_provider_breaker_state', 1, { provider: 'b', instance: 'api-2' }),
      ...probe('api-1', AT - 1, 'error'),
      ...probe('api-2', AT - 30, 'success'),
    ];
    expect(evaluationFromSeries(samples, CONTEXT)?.health).to.deep.equal({
      a: { breaker: 'closed', lastProbe: null },
      b: { breaker: 'open', replica: 'api-1', lastProbe: { at: (AT - 1) * 1000, outcome: 'error', durationMs: 209 } },
    });
  });

  it('names the Pod of the worst breaker where the samples have one', () => {
    const samples = [
      ...evaluation(AT, 'healthy', 'operator-1'),
      sample('orb_provider_breaker_state', 1, { provider: 'a', instance: '10.0.0.7:9464', pod: 'orb-api-7' }),
    ];
    expect(evaluationFromSeries(samples, CONTEXT)?.health['a']).to.include({
      breaker: 'half_open',
      replica: 'orb-api-7',
    });
  });

  it('takes an infinite value for an unknown one', () => {
    const samples = [
      ...evaluation(AT, 'healthy', 'operator-1').filter(({ name }) => name !== 'orb_swap_limit_seconds'),
      sample('orb_swap_limit_seconds', Number.POSITIVE_INFINITY),
    ];
    expect(evaluationFromSeries(samples, CONTEXT)?.limitMs).to.equal(null);
  });
});
