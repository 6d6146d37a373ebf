import type { Reading } from './metrics.ts';

/**
 * Quantile of a histogram as Prometheus' `histogram_quantile` computes it from `rate(..._bucket)`. It is linear inside
 * a bucket, and the first bucket begins at 0. A rank above the top finite bound gives that bound (failover.md §3.2).
 * @param q 0 < q ≤ 1
 * @param bounds upper bounds, ascending, positive
 * @param counts observations of each bucket alone, not cumulative, ≥ 0, not necessarily whole. There is one more than
 *   bounds: the last counts observations beyond all bounds
 * @returns a value in the unit of the bounds; `none/nan` without observations
 */
export function histogramQuantile(q: number, bounds: readonly number[], counts: ArrayLike<number>): Reading {
  let total = 0;
  for (let index = 0; index <= bounds.length; index += 1) total += counts[index] ?? 0;
  if (!(total > 0)) return { kind: 'none', why: 'nan' };
  const rank = q * total;
  let below = 0;
  let start = 0;
  for (const [index, bound] of bounds.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0 && below + count >= rank) {
      return { kind: 'ok', value: start + (bound - start) * ((rank - below) / count) };
    }
    below += count;
    start = bound;
  }
  return { kind: 'ok', value: start };
}
