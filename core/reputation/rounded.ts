/** A real number as profiles show it: six decimals, as in the test vectors. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
