import type { Scrape } from '../scrape.ts';

/** What the platform tells of itself by its metrics. NaN: that version of it has no such metric. */
export interface Inside {
  /** Rows that shared a commit of the ledger; a run has two rows. */
  readonly rowsPerGroup: number;
  /** Share of the time in which the event loop of the main thread ran code, 0 … 1. */
  readonly loopUse: number;
  /** How much later than planned the event loop ran a timer, ms. */
  readonly loopDelayP50: number;
  readonly loopDelayP99: number;
}

/** prom-client's timer for `nodejs_eventloop_lag_…` runs every 10 ms, and its histogram includes that interval. */
const INTERVAL_MS = 10;

const value = (from: Scrape, name: string): number => (from.has(name) ? from.sum(name) : Number.NaN);

/**
 * Compares two scrapes around a load. The first one also starts the histogram of the delay anew.
 * @param seconds between the two
 */
export function insideBetween(before: Scrape, after: Scrape, seconds: number): Inside {
  const grown = (name: string): number => value(after, name) - value(before, name);
  const delay = (quantile: string): number =>
    Math.max(0, value(after, `nodejs_eventloop_lag_${quantile}_seconds`) * 1000 - INTERVAL_MS);
  return {
    rowsPerGroup: grown('orb_ledger_committed_rows_total') / grown('orb_ledger_commits_total'),
    loopUse: grown('orb_event_loop_busy_seconds_total') / seconds,
    loopDelayP50: delay('p50'),
    loopDelayP99: delay('p99'),
  };
}
