import { expect } from 'chai';
import { unitsOfSet, withinBudget } from '../../../../../core/policy/decision/cost-budget.ts';

const policy = (name: string, PreFlight: number, Request = 0): { name: string; compiled: { costUnits: object } } => ({
  name,
  compiled: { costUnits: { PreFlight, Request } },
});

describe('the cost of all policies of a tenant', () => {
  it('is the sum in each phase', () => {
    expect(unitsOfSet([{ costUnits: { PreFlight: 5 } }, { costUnits: { PreFlight: 7, Response: 2 } }])).to.deep.equal({
      PreFlight: 12,
      Request: 0,
      Response: 2,
    });
  });

  it('leaves out the newest policies over the budget, in any phase', () => {
    const policies = [policy('old', 40_000), policy('big', 10_001), policy('fits', 10_000), policy('late', 0, 50_001)];
    const { kept, refused } = withinBudget(policies);
    expect(kept.map(({ name }) => name)).to.deep.equal(['old', 'fits']);
    expect(refused.map(({ name }) => name)).to.deep.equal(['big', 'late']);
  });
});
