const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** @param text whole number and unit (`ms`, `s`, `m`, `h`), as the schema has checked (failover.md §4) */
export const milliseconds = (text: string): number =>
  Number.parseInt(text, 10) * (UNIT_MS[text.replace(/^[0-9]+/, '')] ?? NaN);
