import { expect } from 'chai';
import fc from 'fast-check';
import { RetryBudget } from '../../../../core/attempts/budget.ts';

/** How many repeats are let through at once. */
function spendAll(budget: RetryBudget, now: number): number {
  let spent = 0;
  while (budget.allows(now) && spent < 1000) {
    budget.spend(now);
    spent += 1;
  }
  return spent;
}

describe('RetryBudget (failover.md §12.2)', () => {
  const rows: readonly [runs: number, repeats: number][] = [
    [0, 10],
    [1, 10],
    [54, 10],
    [55, 11],
    [100, 20],
    [1000, 200],
  ];
  for (const [runs, repeats] of rows) {
    it(`allows ${repeats} repeats for ${runs} runs in 10 s`, () => {
      const budget = new RetryBudget();
      for (let run = 0; run < runs; run += 1) budget.run(0);
      expect(spendAll(budget, 0)).to.equal(repeats);
    });
  }

  it('gives back after 10 s what was spent', () => {
    const budget = new RetryBudget();
    expect([spendAll(budget, 0), spendAll(budget, 9999), spendAll(budget, 10_000)]).to.deep.equal([10, 0, 10]);
  });

  it('forgets runs as it forgets repeats', () => {
    const budget = new RetryBudget();
    for (let run = 0; run < 1000; run += 1) budget.run(0);
    expect(spendAll(budget, 10_000)).to.equal(10);
  });

  it('never lets more than 10, or 20 % of the runs, through in a window', () => {
    const step = fc.record({ gap: fc.nat(400), repeats: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const budget = new RetryBudget();
        const runs: number[] = [];
        const repeats: number[] = [];
        let now = 0;
        for (const { gap, repeats: wanted } of steps) {
          now += gap;
          budget.run(now);
          runs.push(now);
          for (let one = 0; one < wanted && budget.allows(now); one += 1) {
            budget.spend(now);
            repeats.push(now);
          }
          const lately = (times: readonly number[], ms: number): number => times.filter((at) => now - at < ms).length;
          expect(lately(repeats, 9000)).to.be.at.most(Math.max(10, 0.2 * runs.length));
        }
      }),
    );
  });
});
