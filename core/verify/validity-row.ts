import type { CheckRow } from './rows.ts';

/** Difference between two clocks that is tolerated, ms (trust.md §3.2). */
const SKEW_MS = 60_000;

/** Whether a credential is in force. @param now ms since epoch */
export function validityRow(
  { validFrom, validUntil }: { readonly validFrom: string; readonly validUntil: string },
  now: number,
): CheckRow {
  if (now < Date.parse(validFrom) - SKEW_MS) return 'not_yet_valid';
  return now > Date.parse(validUntil) + SKEW_MS ? 'expired' : 'pass';
}
