/** Weight of something that is `age` days old: half after each half-life. */
export const decay = (age: number, halfLifeDays: number): number => 2 ** (-age / halfLifeDays);

/** Bad events are forgotten three times as slowly as good runs. */
const BAD_HALF_LIFE_DAYS = 90;

/** What one bad event takes away now, 0–1. */
export const costNow = (cost: number, ageDays: number): number => cost * decay(ageDays, BAD_HALF_LIFE_DAYS);

/**
 * Factor that bad events leave: 1 without any, 0 at the least.
 * @param events cost (0–1) and age in days of each
 */
export const penalty = (events: readonly (readonly [cost: number, ageDays: number])[]): number =>
  Math.max(0, 1 - events.reduce((sum, [cost, age]) => sum + costNow(cost, age), 0));
