import { at, isRecord, listAt, membersAt } from '../control-plane/json.ts';

/** A line of a panel: its labels, and values at times (seconds since epoch). */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

/** A span of time; seconds since epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function seriesOf(result: unknown): Series {
  const labels = membersAt(result, 'metric').flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  const points = listAt(result, 'values').flatMap((pair) => {
    const [seconds, value] = listAt({ pair }, 'pair');
    const number = Number(value);
    return typeof seconds === 'number' && Number.isFinite(number) ? [[seconds, number] as const] : [];
  });
  return { labels: Object.fromEntries(labels), points };
}

/**
 * A range query; series in the order of their labels.
 * @throws Error Prometheus refused the query; the message is its answer
 */
export async function queryRange(url: string, query: string, { from, to, step }: Span): Promise<readonly Series[]> {
  const body = new URLSearchParams({ query, start: String(from), end: String(to), step: String(step) });
  const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body });
  const answer: unknown = await response.json();
  if (!isRecord(answer) || answer['status'] !== 'success')
    throw new Error(`Prometheus refused ${query}: ${JSON.stringify(at(answer, 'error'))}`);
  const series = listAt(answer, 'data', 'result').map(seriesOf);
  const keyOf = ({ labels }: Series): string =>
    JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return series.filter(({ points }) => points.length > 0).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
