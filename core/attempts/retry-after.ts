/** Longest pause that is believed: 1 h. A caller would take a longer one for a mistake. */
export const LONGEST_PAUSE_MS = 3_600_000;

const SECONDS = /^\d{1,10}$/;
// RFC 9110 §5.6.7: the only form that may be sent. `Date.parse` alone accepts nearly any text as a date.
const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const within = (ms: number): number => Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS);

/**
 * Length of the pause that a provider asks for with `Retry-After` (RFC 9110 §10.2.3): seconds or a date.
 * @param now ms since epoch
 * @returns ms from now, 0–3 600 000; undefined when the text is neither seconds nor a date
 */
export function retryAfterMs(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (SECONDS.test(trimmed)) return within(Number(trimmed) * 1000);
  const at = IMF_DATE.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(at) ? undefined : within(at - now);
}
