import { expect } from 'chai';
import { createLastEvaluations } from '../../../../adapters/failover-metrics/last-evaluations.ts';
import { summaryOf, type ProviderHealth } from '../../../../core/failover/evaluation-summary.ts';
import { anOutput } from '../../../support/failover-output.ts';

const ORB = { namespace: 'acme', orbId: 'acme.x@1.0.0' };
const AT = { evaluatedAt: 1_795_168_800_000, ageMs: 0 };
const OPEN: ProviderHealth = { breaker: 'open', lastProbe: null };

describe('createLastEvaluations', () => {
  it('shows the last evaluation of an Orb, with breakers and probes as they are', () => {
    const health = new Map<string, ProviderHealth>();
    const metrics = createLastEvaluations({
      health: (namespace, orbId) => (namespace + orbId === 'acmeacme.x@1.0.0' ? health : new Map()),
    });
    metrics.set(ORB, anOutput(), AT);
    metrics.set(ORB, anOutput({ rule: 'frozen' }), AT);
    health.set('a', OPEN);
    expect(metrics.get(ORB)).to.deep.equal(summaryOf(anOutput({ rule: 'frozen' }), AT, { a: OPEN }));
  });

  it('knows nothing of an Orb that was not evaluated or is gone', () => {
    const metrics = createLastEvaluations({ health: () => new Map() });
    expect(metrics.get(ORB)).to.equal(undefined);
    metrics.set(ORB, anOutput(), AT);
    metrics.remove(ORB);
    expect(metrics.get(ORB)).to.equal(undefined);
  });
});
