import { expect } from 'chai';
import { summaryOf } from '../../../../core/failover/evaluation-summary.ts';
import { aCandidate, anOutput } from '../../../support/failover-output.ts';

const AT = { evaluatedAt: 1000.4, ageMs: 8000.2 };

describe('summaryOf', () => {
  it('names providers in order and leaves out those of which nothing is known', () => {
    const none = { evidence: 'none', window: null, n: 3, p50Ms: 4, pqMs: 5 } as const;
    const candidates = [
      aCandidate('c', { active: true }),
      aCandidate('b', none),
      aCandidate('a', { ...none, attempts: 4, bad: 1 }),
    ];
    const { providers } = summaryOf(anOutput({ candidates }), AT, {});
    expect(providers.map(({ provider }) => provider)).to.deep.equal(['a', 'c']);
    expect(providers[0]).to.deep.equal({
      provider: 'a',
      evidence: 'none',
      window: null,
      n: 0,
      p50Ms: null,
      pqMs: null,
      errorRatio: 0.25,
      probeOkRatio: null,
    });
  });

  it('gives a failing verdict no latency', () => {
    const verdict = { kind: 'failing', value: 0.7, threshold: 0.5, window: '2m', n: 40, ageMs: 1 } as const;
    const summary = summaryOf(anOutput({ verdict }), AT, {});
    expect(summary.verdict).to.deep.equal({
      kind: 'failing',
      valueMs: null,
      thresholdMs: null,
      window: '2m',
      n: 117.4,
    });
  });

  it('gives the verdict no value when no provider was active', () => {
    const { verdict } = summaryOf(anOutput({ candidates: [] }), AT, {});
    expect(verdict).to.deep.equal({ kind: 'degraded', valueMs: null, thresholdMs: null, window: null, n: 0 });
  });

  it('has whole milliseconds of times and no age of metrics that can not be used', () => {
    const { evaluatedAt, dataAgeMs } = summaryOf(anOutput(), AT, {});
    expect([evaluatedAt, dataAgeMs]).to.deep.equal([1000, 8000]);
    expect(summaryOf(anOutput(), { ...AT, ageMs: null }, {}).dataAgeMs).to.equal(null);
  });
});
