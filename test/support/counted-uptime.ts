import type { StateInterval, Standing, Stretch } from '../../core/status/timeline.ts';
import type { Uptime } from '../../core/status/uptime.ts';

// Uptime as status.md §5 words it, one millisecond after the other: for small windows.

type Instant = Standing;

function instantOf(intervals: readonly StateInterval[], at: number): Instant {
  const states = intervals.filter(({ from, to }) => from <= at && at < to);
  const has = (state: StateInterval['state'], announced?: boolean): boolean =>
    states.some((given) => given.state === state && (announced === undefined || given.announced === announced));
  if (has('major_outage') || has('under_maintenance', false)) return 'major';
  if (has('partial_outage')) return 'partial';
  if (states.length === 0 || has('unknown')) return 'unknown';
  if (has('under_maintenance', true)) return 'maintenance';
  return has('degraded_performance') ? 'degraded' : 'up';
}

function platformAt(services: readonly (readonly StateInterval[])[], at: number): Instant {
  const instants = services.map((intervals) => instantOf(intervals, at));
  if (instants.includes('major')) return 'major';
  if (instants.includes('partial')) return 'partial';
  if (instants.includes('unknown')) return 'unknown';
  if (instants.includes('maintenance')) return 'maintenance';
  return instants.includes('degraded') ? 'degraded' : 'up';
}

/** Milliseconds of a window by what they count as. */
export function countedStandings(
  services: readonly (readonly StateInterval[])[],
  { from, to }: Stretch,
): Readonly<Record<Standing, number>> {
  const counts = { major: 0, partial: 0, unknown: 0, maintenance: 0, degraded: 0, up: 0 };
  for (let at = from; at < to; at += 1) counts[platformAt(services, at)] += 1;
  return counts;
}

export function countedUptime(services: readonly (readonly StateInterval[])[], window: Stretch): Uptime {
  const { major, partial, maintenance, degraded, up } = countedStandings(services, window);
  const covered = major + partial + degraded + up;
  const down = major + partial / 2;
  return {
    uptimePct: covered === 0 ? null : Math.floor((100_000 * (covered - down)) / covered) / 1000,
    coveragePct: Math.floor((100_000 * (covered + maintenance)) / (window.to - window.from)) / 1000,
    downtimeS: down / 1000,
    maintenanceS: maintenance / 1000,
  };
}
