/** A provider that asks for more is asked again all the same (failover.md §12.2). */
const LONGEST_MS = 300_000;

const SECONDS = /^\d{1,10}$/;
// RFC 9110 §5.6.7: the one form that may be sent; `Date.parse` alone takes nearly any text for a date.
const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const within = (ms: number): number => Math.min(Math.max(ms, 0), LONGEST_MS);

/**
 * How long a provider asks to be left alone, by `Retry-After` (RFC 9110 §10.2.3): seconds or a date.
 * @param now ms since epoch
 * @returns ms from now, 0–300 000; undefined when the text says neither
 */
export function retryAfterMs(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (SECONDS.test(trimmed)) return within(Number(trimmed) * 1000);
  const at = IMF_DATE.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(at) ? undefined : within(at - now);
}
