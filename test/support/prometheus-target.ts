import { createServer } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** Series of one moment: the text of name and labels → value. */
type Series = ReadonlyMap<string, number>;

/** A page that Prometheus scrapes; the test sets its samples. */
export interface ScrapedTarget {
  /** `host:port` */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** Upper bounds that the tests use, as labels. */
const BOUNDS = ['0.1', '0.25', '0.5', '+Inf'] as const;

/** One provider's counters: attempts with a latency by their bucket, and other attempts by outcome. */
export interface Counted {
  readonly orbId: string;
  readonly provider: string;
  /** Observations in (0.1, 0.25] and in (0.25, 0.5]; all of them successes. */
  readonly quick: number;
  readonly slow: number;
  readonly errors?: number;
  readonly breaker?: number;
}

/** The series that the API would expose for it; `orb_namespace` is `n`. */
function seriesOf({ orbId, provider, quick, slow, errors, breaker }: Counted): Series {
  const labels = `orb_namespace="n",orb_id="${orbId}",provider="${provider}"`;
  const counts = [0, quick, quick + slow, quick + slow];
  return new Map([
    ...BOUNDS.map((bound, index): readonly [string, number] => [
      `orb_provider_request_duration_seconds_bucket{${labels},source="traffic",le="${bound}"}`,
      counts[index] ?? 0,
    ]),
    [`orb_provider_request_duration_seconds_count{${labels},source="traffic"}`, quick + slow],
    [`orb_provider_requests_total{${labels},source="traffic",outcome="success"}`, quick + slow],
    ...(errors === undefined
      ? []
      : ([[`orb_provider_requests_total{${labels},source="traffic",outcome="error"}`, errors]] as const)),
    ...(breaker === undefined ? [] : ([[`orb_provider_breaker_state{${labels}}`, breaker]] as const)),
  ]);
}

const lines = (series: Series): string => Array.from(series, ([name, value]) => `${name} ${value}\n`).join('');

/** @param show content of the page at the `scrape`-th scrape, from 1 */
export async function startTarget(show: (scrape: number) => readonly Counted[]): Promise<ScrapedTarget> {
  let scrapes = 0;
  const server = createServer((_, response) => {
    scrapes += 1;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(show(scrapes).map(seriesOf).map(lines).join(''));
  });
  const port = await listenOnLoopback(server);
  return {
    address: `127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The page of each moment with its time in seconds, in the format that promtool turns into old samples (OpenMetrics).
 */
export function history(moments: readonly (readonly [seconds: number, shown: readonly Counted[]])[]): string {
  const points = new Map<string, string>();
  for (const [seconds, shown] of moments)
    for (const series of shown.map(seriesOf))
      for (const [name, value] of series) points.set(name, `${points.get(name) ?? ''}${name} ${value} ${seconds}\n`);
  return `${[...points.values()].join('')}# EOF\n`;
}
