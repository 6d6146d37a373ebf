import type { Finding } from '../manifest/finding.ts';
import { milliseconds } from '../time/duration.ts';
import type { ResolvedSwapConfig } from './types.ts';

/**
 * Scrapes that a window needs. Ranges of Prometheus 3 are left-open, so with fewer scrapes, a failed one leaves a
 * window without a rate (failover.md §3.2).
 */
const SCRAPES_IN_A_WINDOW = 4;

/**
 * Finds windows that hold too few scrapes (failover.md §11, L3): `manifest-swap-scrape`. The interval depends on the
 * installation, so no manifest is refused for it: the Orb runs, and its swaps wait.
 * @param scrapeIntervalMs scrape interval of the metrics source
 */
export function lintScrape(
  { latency: { windows } }: Pick<ResolvedSwapConfig, 'latency'>,
  scrapeIntervalMs: number,
): readonly Finding[] {
  const least = SCRAPES_IN_A_WINDOW * scrapeIntervalMs;
  const short = windows.filter((window) => milliseconds(window) < least);
  if (short.length === 0) return [];
  const detail = `Metrics are scraped every ${scrapeIntervalMs / 1000} s here: ${short.join(' and ')} would hold too few of them. Name windows of at least ${least / 1000} s, or have the installation scrape more often.`;
  return [{ code: 'manifest-swap-scrape', pointer: '/swap_config/latency/windows', detail, severity: 'error' }];
}
