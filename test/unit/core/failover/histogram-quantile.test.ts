import { expect } from 'chai';
import fc from 'fast-check';
import { histogramQuantile } from '../../../../core/failover/histogram-quantile.ts';
import type { Reading } from '../../../../core/failover/metrics.ts';

const BOUNDS = [0.1, 0.5, 1, 5];
const ok = (value: number): Reading => ({ kind: 'ok', value });

describe('histogramQuantile', () => {
  // By hand, from what Prometheus documents of `histogram_quantile`.
  const rows: readonly [string, number, readonly number[], Reading][] = [
    ['is NaN without observations', 0.95, [0, 0, 0, 0, 0], { kind: 'none', why: 'nan' }],
    ['starts the first bucket at 0', 0.5, [10, 0, 0, 0, 0], ok(0.05)],
    ['is the bound at the end of a bucket', 0.5, [5, 5, 0, 0, 0], ok(0.1)],
    ['is linear inside a bucket', 0.75, [5, 5, 0, 0, 0], ok(0.3)],
    ['passes over an empty bucket', 0.9, [5, 0, 5, 0, 0], ok(0.9)],
    ['is the top finite bound when the rank is above it', 0.95, [1, 0, 0, 0, 9], ok(5)],
    ['is the top finite bound when everything is above it', 0.5, [0, 0, 0, 0, 3], ok(5)],
    ['takes estimates that are not whole', 0.5, [0, 0.4, 0, 0, 0], ok(0.3)],
    ['is NaN of a count that is NaN', 0.5, [Number.NaN, 1, 0, 0, 0], { kind: 'none', why: 'nan' }],
  ];
  for (const [why, q, counts, expected] of rows) {
    it(why, () => {
      const found = histogramQuantile(q, BOUNDS, counts);
      if (expected.kind === 'none' || found.kind === 'none') expect(found).to.deep.equal(expected);
      else expect(found.value).to.be.closeTo(expected.value, 1e-12);
    });
  }

  it('never falls when the quantile grows, and stays between 0 and the top bound', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(counts, (some) => {
        const values = [0.5, 0.9, 0.95, 0.99, 1].map((q) => histogramQuantile(q, BOUNDS, some));
        if (some.every((count) => count === 0)) return values.every(({ kind }) => kind === 'none');
        const numbers = values.map((reading) => (reading.kind === 'ok' ? reading.value : Number.NaN));
        return numbers.every((value, index) => value >= (numbers[index - 1] ?? 0) && value <= 5);
      }),
    );
  });

  it('depends on the shares only, not on the size', () => {
    const counts = [3, 4, 5, 6, 1];
    const quarters = counts.map((count) => count / 4);
    expect(histogramQuantile(0.9, BOUNDS, quarters)).to.deep.equal(histogramQuantile(0.9, BOUNDS, counts));
  });
});
