/**
 * Number of characters as JSON Schema counts them: code points. A half surrogate pair counts as one (JSON
 * Schema 2020-12, maxLength).
 */
export function codePointLength(text: string): number {
  let pairs = 0;
  for (let index = 1; index < text.length; index += 1) {
    if (!isLow(text.charCodeAt(index)) || !isHigh(text.charCodeAt(index - 1))) continue;
    pairs += 1;
    index += 1;
  }
  return text.length - pairs;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Whether a time in UTC in the form of the schemas (`2026-01-31T12:00:00Z`) exists. `Date.parse` alone is not enough:
 * it reads 30 February as 2 March, and 24:00 as the next day.
 */
function isDateTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** Checks of the formats that the schemas of crds/schemas name. */
export const formats = { 'date-time': isDateTime } as const;
