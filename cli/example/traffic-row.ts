/** One run as its caller saw it. */
export interface TimedRun {
  readonly ms: number;
  /** The provider that answered; undefined: the run failed. */
  readonly provider: string | undefined;
}

export const TRAFFIC_HEADER = 'time      runs  failed  p50 ms  p95 ms  answered by\n';

/** Nearest rank. @param sorted ascending, not empty */
const rank = (sorted: readonly number[], quantile: number): number =>
  sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0;

function countsOf(runs: readonly TimedRun[]): string {
  const counts = new Map<string, number>();
  for (const { provider } of runs) if (provider !== undefined) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  const names = [...counts.keys()].toSorted();
  return names.map((name) => `${name} ${counts.get(name) ?? 0}`).join(', ') || '–';
}

/**
 * Results that callers saw in a few seconds, on one line.
 * @param now ms since epoch, shown as the time of day (UTC)
 */
export function trafficRow(runs: readonly TimedRun[], now: number): string {
  const sorted = runs.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const failed = runs.filter(({ provider }) => provider === undefined).length;
  const time = new Date(now).toISOString().slice(11, 19);
  const shown = (quantile: number): string => (sorted.length === 0 ? '–' : rank(sorted, quantile).toFixed(0));
  const cells = [
    String(runs.length).padStart(6),
    String(failed).padStart(8),
    shown(0.5).padStart(8),
    shown(0.95).padStart(8),
  ];
  return `${time}${cells.join('')}  ${countsOf(runs)}\n`;
}
