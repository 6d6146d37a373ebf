import {
  combineTimelines,
  STANDINGS,
  timelineOf,
  type Standing,
  type StateInterval,
  type Stretch,
} from './timeline.ts';
import type { Segment } from './timeline.ts';

export const UPTIME_METHOD = 'time-weighted-probes/1';

/** Share of an outage that counts as downtime. Peers differ, so these are published with the number. */
export const OUTAGE_WEIGHTS = { major_outage: 1, partial_outage: 0.5, degraded_performance: 0 } as const;

export interface Uptime {
  /** Percent, 0 to 100, rounded down to three decimals, so 100 means no downtime; null: nothing is known. */
  readonly uptimePct: number | null;
  /** Percent of the window of which the state is known, rounded down to three decimals. */
  readonly coveragePct: number;
  /** Weighted outage, seconds. */
  readonly downtimeS: number;
  /** Maintenance that was announced in time, seconds; it counts neither as up nor as down. */
  readonly maintenanceS: number;
}

type Sums = Readonly<Record<Standing, bigint>>;

/** Milliseconds of each standing. */
export function sumStandings(timeline: readonly Segment[]): Sums {
  const sums = { major: 0n, partial: 0n, unknown: 0n, maintenance: 0n, degraded: 0n, up: 0n };
  for (const { from, to, standing } of timeline) sums[standing] += BigInt(to - from);
  return sums;
}

/** Percent rounded down to three decimals. */
const percent = (part: bigint, whole: bigint): number => Number((100_000n * part) / whole) / 1000;

/** Uptime from milliseconds of each standing: all sums are integers until the last division. */
export function uptimeOfSums(sums: Sums): Uptime {
  const { major, partial, maintenance, degraded, up } = sums;
  const covered = major + partial + degraded + up;
  const total = STANDINGS.reduce((sum, standing) => sum + sums[standing], 0n);
  const twiceDown = 2n * major + partial;
  return {
    uptimePct: covered === 0n ? null : percent(2n * covered - twiceDown, 2n * covered),
    coveragePct: total === 0n ? 0 : percent(covered + maintenance, total),
    downtimeS: Number(twiceDown) / 2000,
    maintenanceS: Number(maintenance) / 1000,
  };
}

/**
 * Uptime of a platform by the method `time-weighted-probes/1` (status.md §5).
 * @param services intervals of each critical service, in any order; they may overlap and leave gaps
 * @param window milliseconds since the epoch
 */
export const uptimeOf = (services: readonly (readonly StateInterval[])[], window: Stretch): Uptime =>
  uptimeOfSums(
    sumStandings(
      combineTimelines(
        services.map((intervals) => timelineOf(intervals, window)),
        window,
      ),
    ),
  );
