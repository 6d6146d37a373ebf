import type { BucketRate } from './token-bucket.ts';

/** How often something may happen. */
export interface Rate {
  /** Above 0; may be a fraction. */
  readonly perSecond: number;
  /** How often at once, at least 1; may be a fraction. */
  readonly burst: number;
}

/** A limit that may be switched off. */
export type RateLimit = Rate | 'none';

const SECOND_MS = 1000;
const TEXT = /^([0-9]{1,6})(?::([1-9][0-9]{0,6}))?$/;

/**
 * Reads `100:200`: 100 a second, 200 at once. Without the second number, the burst is that of one second. `0` switches the
 * limit off.
 * @returns undefined: the text is not a rate
 */
export function parseRateLimit(text: string): RateLimit | undefined {
  const [, first, burst] = TEXT.exec(text) ?? [];
  if (first === undefined) return undefined;
  const perSecond = Number(first);
  if (perSecond === 0) return burst === undefined ? 'none' : undefined;
  return { perSecond, burst: burst === undefined ? perSecond : Number(burst) };
}

/** The text that `parseRateLimit` reads. */
export const rateText = (limit: RateLimit): string => (limit === 'none' ? '0' : `${limit.perSecond}:${limit.burst}`);

/** A burst of one second, and at least 1: 50 a second → 50 at once, 0.5 a second → 1 every two seconds. */
export const ofOneSecond = (perSecond: number): Rate => ({ perSecond, burst: Math.max(1, perSecond) });

/** The same rate for a bucket. */
export const bucketRate = ({ perSecond, burst }: Rate): BucketRate => ({ burst, everyMs: SECOND_MS / perSecond });
