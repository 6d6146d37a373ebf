const DIGITS = /^[1-9][0-9]*$/;

/**
 * Compares two resource versions as integers of any size: by length, then as text (operator.md A5; KEP-5504).
 * @returns < 0, 0 or > 0; undefined when one of them is not a number, so that nothing can be said
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (!DIGITS.test(one) || !DIGITS.test(other)) return undefined;
  if (one.length !== other.length) return one.length - other.length;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Whether what comes later with `next` replaces what has `last`: incomparable versions go by their arrival. */
export function isNewer(next: string | undefined, last: string | undefined): boolean {
  if (next === undefined || last === undefined) return true;
  const order = compareResourceVersions(next, last);
  return order === undefined || order > 0;
}
