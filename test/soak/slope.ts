/** A value at a time. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly value: number;
}

/** Rise per hour, with its 95 % interval. */
export interface Slope {
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
}

const MINUTE = 60;
const HOUR = 3600;

/**
 * Means of each minute. Samples that are 10 s apart share the garbage of one collection: as if independent, they would
 * give an interval that is too narrow.
 */
export function minuteMeans(samples: readonly Sample[]): readonly Sample[] {
  const minutes = Map.groupBy(samples, ({ at }) => Math.floor(at / MINUTE));
  return [...minutes].map(([minute, all]) => ({
    at: minute * MINUTE,
    value: all.reduce((sum, { value }) => sum + value, 0) / all.length,
  }));
}

/** Quantile 0.975 of Student's t, within 3 % from 4 degrees of freedom on. */
const studentT = (freedom: number): number => 1.96 + 2.4 / freedom + 3 / freedom ** 2;

/** Least squares over the means of each minute. @throws with fewer than four minutes */
export function slopeOf(samples: readonly Sample[]): Slope {
  const points = minuteMeans(samples);
  const count = points.length;
  if (count < 4) throw new RangeError(`a slope needs samples of four minutes, not of ${count}`);
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / count;
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / count;
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const slope = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0) / spread;
  const residual = points.reduce((sum, { at, value }) => sum + (value - meanValue - slope * (at - meanAt)) ** 2, 0);
  const half = studentT(count - 2) * Math.sqrt(residual / (count - 2) / spread);
  return { perHour: slope * HOUR, low: (slope - half) * HOUR, high: (slope + half) * HOUR };
}
