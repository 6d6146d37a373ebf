/**
 * Whether a time in UTC, written as the schemas have it (`2026-01-31T12:00:00Z`), is one that there is: `Date.parse` reads
 * 30 February as 2 March, and 24:00 as the next day.
 */
export function isDateTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}
