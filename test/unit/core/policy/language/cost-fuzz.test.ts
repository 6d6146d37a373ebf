import { expect } from 'chai';
import { measureCosts } from '../../../../support/policy-cost.ts';

/** A machine with neighbours, and code that is counted for coverage, are this much slower at the most. */
const SLACK = 8;

// `npm run fuzz -- cost` measures 10 000 policies, without slack.
describe('the cost of accepted policies on the largest facts (policy.md §1.2)', function cost() {
  this.timeout(180_000);

  it('is not above what the compiler estimates, and a decision ends within its bound', () => {
    const { accepted, worstShare, worst, slowestDecision, sets } = measureCosts(60, 20_261_120, SLACK);
    expect(accepted).to.equal(60);
    expect(worstShare, worst).to.be.below(SLACK);
    expect(sets).to.be.above(0);
    expect(slowestDecision).to.be.below(5000 * SLACK);
  });
});
