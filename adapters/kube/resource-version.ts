const DIGITS = /^[1-9][0-9]*$/;

/**
 * Compares two resource versions as integers of any size: by length, then as text (operator.md A5; KEP-5504).
 * @returns < 0, 0 or > 0; undefined when one of them is not a number and the order is unknown
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (!DIGITS.test(one) || !DIGITS.test(other)) return undefined;
  if (one.length !== other.length) return one.length - other.length;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Whether an object of version `next`, which arrives later, replaces one of version `last`. Versions that can't be
 * compared replace each other in the order of arrival.
 */
export function isNewer(next: string | undefined, last: string | undefined): boolean {
  if (next === undefined || last === undefined) return true;
  const order = compareResourceVersions(next, last);
  return order === undefined || order > 0;
}
