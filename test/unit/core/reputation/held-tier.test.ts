import { expect } from 'chai';
import type { Tier } from '../../../../core/reputation/criteria.ts';
import { NEVER_HELD, stepHeldTier, type HeldTier } from '../../../../core/reputation/held-tier.ts';

const HOUR = 3_600_000;

type Step = readonly [hours: number, computed: Tier, what?: 'capped' | 'suspended'];

const after = (...steps: readonly Step[]): HeldTier =>
  steps.reduce(
    (held, [hours, computed, what]) =>
      stepHeldTier(held, { computed, capped: what === 'capped', suspended: what === 'suspended', at: hours * HOUR }),
    NEVER_HELD,
  );

// The other rules are the tier sequences of the vectors.
describe('stepHeldTier', () => {
  it('gives a first bronze at once, and the higher tier 72 hours after it was first computed', () => {
    const first = after([0, 'gold']);
    expect(first).to.deep.include({ tier: 'bronze', since: 0, reachedSince: { silver: 0, gold: 0 } });
    expect(after([0, 'gold'], [71.9, 'gold']).tier).to.equal('bronze');
    expect(after([0, 'gold'], [72, 'gold'])).to.deep.include({ tier: 'gold', since: 72 * HOUR, reachedSince: {} });
  });

  it('promotes only to the tier that every evaluation reached', () => {
    expect(after([0, 'gold'], [40, 'silver'], [72, 'gold'])).to.deep.include({
      tier: 'silver',
      reachedSince: { gold: 72 * HOUR },
    });
  });

  it('keeps since when a tier is held, through a time at risk', () => {
    const held = after([0, 'silver'], [72, 'silver'], [100, 'bronze'], [150, 'silver']);
    expect(held).to.deep.include({ tier: 'silver', status: 'stable', since: 72 * HOUR, atRiskSince: null });
  });

  it('is at risk from the first lower evaluation on, and falls 168 hours after it', () => {
    const held = after([0, 'silver'], [72, 'silver'], [100, 'bronze'], [150, 'uncertified']);
    expect(held).to.deep.include({ tier: 'silver', status: 'at_risk', atRiskSince: 100 * HOUR, reachedSince: {} });
    const step = { computed: 'bronze', capped: false, suspended: false } as const;
    expect(stepHeldTier(held, { ...step, at: 268 * HOUR - 1 }).tier).to.equal('silver');
    expect(stepHeldTier(held, { ...step, at: 268 * HOUR })).to.deep.include({
      tier: 'bronze',
      status: 'stable',
      since: 268 * HOUR,
      atRiskSince: null,
    });
  });

  it('falls at once by a cap or a suspension, and says which', () => {
    const capped = after([0, 'silver'], [72, 'silver'], [73, 'silver', 'capped']);
    expect(capped).to.deep.include({ tier: 'uncertified', status: 'stable', since: 73 * HOUR, reachedSince: {} });
    const suspended = after([0, 'silver'], [72, 'silver'], [73, 'silver', 'suspended']);
    expect(suspended).to.deep.include({ tier: 'uncertified', status: 'suspended', wasCertified: true });
    expect(NEVER_HELD).to.deep.include({ tier: 'uncertified', status: 'stable', wasCertified: false });
  });

  it('falls by several tiers when it is time, and waits 72 hours for each rise', () => {
    const fallen = after([0, 'gold'], [72, 'gold'], [80, 'bronze'], [248, 'uncertified']);
    expect(fallen).to.deep.include({ tier: 'uncertified', status: 'stable', wasCertified: true });
    expect(stepHeldTier(fallen, { computed: 'bronze', capped: false, suspended: false, at: 249 * HOUR }).tier).to.equal(
      'uncertified',
    );
  });

  it('does not count a time before a cap', () => {
    expect(after([0, 'silver'], [71, 'uncertified', 'capped'], [72, 'silver']).tier).to.equal('uncertified');
  });

  it('still gives the first bronze at once when only a cap came before it', () => {
    expect(after([0, 'uncertified', 'capped'], [1, 'bronze']).tier).to.equal('bronze');
  });
});
