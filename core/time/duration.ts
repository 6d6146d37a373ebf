const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A unit of a written duration. */
export type DurationUnit = keyof typeof UNIT_MS;

const isUnit = (text: string): text is DurationUnit => Object.hasOwn(UNIT_MS, text);
const msOf = (unit: string): number => (isUnit(unit) ? UNIT_MS[unit] : NaN);

/** @param text whole number and unit, already checked by a schema (failover.md §4): `500ms`, `15s` */
export const milliseconds = (text: string): number => Number.parseInt(text, 10) * msOf(text.replace(/^[0-9]+/, ''));

const USUAL: readonly DurationUnit[] = ['s', 'm', 'h', 'd'];

/**
 * Parses a duration that a person wrote: a whole number from 1 to 999999999 and a unit, such as `90d` or `45s`.
 * @param units allowed units; default: s, m, h and d
 * @returns milliseconds, > 0; undefined for any other text
 */
export function parseDuration(text: string, units: readonly DurationUnit[] = USUAL): number | undefined {
  const [, digits = '', unit = ''] = /^([1-9][0-9]{0,8})([a-z]+)$/.exec(text) ?? [];
  return isUnit(unit) && units.includes(unit) ? Number(digits) * UNIT_MS[unit] : undefined;
}
