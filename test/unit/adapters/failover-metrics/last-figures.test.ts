import { expect } from 'chai';
import { createFigures } from '../../../../adapters/failover-metrics/last-figures.ts';
import { figuresOf, type ProviderHealth } from '../../../../core/failover/figures.ts';
import { anOutput } from '../../../support/failover-output.ts';

const ORB = { namespace: 'acme', orbId: 'acme.x@1.0.0' };
const AT = { evaluatedAt: 1_795_168_800_000, ageMs: 0 };
const OPEN: ProviderHealth = { breaker: 'open', lastProbe: null };

describe('createFigures', () => {
  it('shows the last evaluation of an Orb, with breakers and probes as they are', () => {
    const health = new Map<string, ProviderHealth>();
    const figures = createFigures({
      health: (namespace, orbId) => (namespace + orbId === 'acmeacme.x@1.0.0' ? health : new Map()),
    });
    figures.set(ORB, anOutput(), AT);
    figures.set(ORB, anOutput({ rule: 'frozen' }), AT);
    health.set('a', OPEN);
    expect(figures.get(ORB)).to.deep.equal(figuresOf(anOutput({ rule: 'frozen' }), AT, { a: OPEN }));
  });

  it('knows nothing of an Orb that was not evaluated or is gone', () => {
    const figures = createFigures({ health: () => new Map() });
    expect(figures.get(ORB)).to.equal(undefined);
    figures.set(ORB, anOutput(), AT);
    figures.remove(ORB);
    expect(figures.get(ORB)).to.equal(undefined);
  });
});
