const MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration such as `90d`, `2h`, `30m` or `45s`.
 * @returns milliseconds, > 0; undefined for anything else
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? [];
  const ms = MS[unit];
  return digits === undefined || ms === undefined ? undefined : Number(digits) * ms;
}
