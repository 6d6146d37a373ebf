import { timelineOf, type Standing, type StateInterval, type Stretch } from './timeline.ts';
import { sumStandings } from './uptime.ts';

const DAY_MS = 86_400_000;

/** Seconds of a UTC day by what they count as, with three decimals; they add up to the day, and today to its end so far. */
export interface DaySums {
  readonly up_s: number;
  readonly degraded_s: number;
  readonly partial_s: number;
  readonly major_s: number;
  readonly maintenance_s: number;
  readonly unknown_s: number;
}

/** UTC days that end with the day of `now`, oldest first; today ends at `now`. @param count 1 to 90 */
export function daysUntil(now: number, count: number): readonly Stretch[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, index) => {
    const from = (today - count + 1 + index) * DAY_MS;
    return { from, to: Math.min(from + DAY_MS, now) };
  });
}

/** `2026-11-22`. */
export const dateOf = ({ from }: Stretch): string => new Date(from).toISOString().slice(0, 10);

/**
 * What one service did on each day: from the intervals that uptime is computed from, so the two agree. Maintenance that
 * was not announced counts as a major outage.
 * @param days in order, without gaps between them
 */
export function dayStrip(intervals: readonly StateInterval[], days: readonly Stretch[]): readonly DaySums[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const timeline = timelineOf(intervals, { from: first.from, to: last.to });
  let next = 0;
  return days.map((day) => {
    while ((timeline[next]?.to ?? Infinity) <= day.from) next += 1;
    const parts = [];
    for (let index = next; index < timeline.length; index += 1) {
      const segment = timeline[index];
      if (segment === undefined || segment.from >= day.to) break;
      parts.push({ ...segment, from: Math.max(segment.from, day.from), to: Math.min(segment.to, day.to) });
    }
    const sums = sumStandings(parts);
    const seconds = (standing: Standing): number => Number(sums[standing]) / 1000;
    return {
      up_s: seconds('up'),
      degraded_s: seconds('degraded'),
      partial_s: seconds('partial'),
      major_s: seconds('major'),
      maintenance_s: seconds('maintenance'),
      unknown_s: seconds('unknown'),
    };
  });
}
