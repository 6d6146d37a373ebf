import type { PrometheusMode } from '../../adapters/prometheus/expressions.ts';
import { at } from '../../hack/control-plane/json.ts';
import { PRIMARY, THRESHOLD_MS, type CalledOrb } from './orbs.ts';
import { waitFor } from '../support/wait-for.ts';

const EVERY_MS = 500;

/** p95 of the runs of two minutes at the primary, s, as the operator would be told it. */
function p95Query({ orbId }: CalledOrb, mode: PrometheusMode): string {
  const labels = `orb_id="${orbId}",provider="${PRIMARY}"`;
  if (mode === 'recorded') return `orb:provider_latency_seconds:p95_2m{${labels}}`;
  const buckets = `orb_provider_request_duration_seconds_bucket{source="traffic",${labels}}`;
  return `histogram_quantile(0.95, sum by (le) (rate(${buckets}[2m])))`;
}

async function valueOf(url: string, query: string): Promise<number | undefined> {
  const asked = `${url}/api/v1/query?query=${encodeURIComponent(query)}`;
  const answer: unknown = await (await fetch(asked, { signal: AbortSignal.timeout(5000) })).json();
  const results = at(answer, 'data', 'result');
  const pair: unknown = Array.isArray(results) ? at(results[0], 'value') : undefined;
  return Array.isArray(pair) ? Number(pair[1]) : undefined;
}

/**
 * When Prometheus first says that the p95 of the primary is over the limit, ms since epoch.
 * @throws Error it does not within that time
 */
export async function untilBreached(
  prometheusUrl: string,
  { orb, mode }: { readonly orb: CalledOrb; readonly mode: PrometheusMode },
  withinMs: number,
): Promise<number> {
  const breachedAt = async (): Promise<number | undefined> => {
    const asked = Date.now();
    const seconds = await valueOf(prometheusUrl, p95Query(orb, mode));
    return seconds !== undefined && seconds * 1000 > THRESHOLD_MS ? asked : undefined;
  };
  const breached = await waitFor(breachedAt, withinMs, EVERY_MS);
  if (breached === undefined) throw new Error(`${orb.name}: Prometheus does not see that the primary is slow`);
  return breached;
}
