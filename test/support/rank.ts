const ascending = (values: readonly number[]): readonly number[] => values.toSorted((one, other) => one - other);

/** Nearest rank; NaN without values. @param share 0 … 1 */
export const percentile = (values: readonly number[], share: number): number =>
  ascending(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;

/** The middle value; of an even number of values, the upper of the two. NaN without values. */
export const median = (values: readonly number[]): number =>
  ascending(values)[Math.floor(values.length / 2)] ?? Number.NaN;
