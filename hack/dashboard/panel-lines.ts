import type { Line } from './draw.ts';
import { withoutVariables, type Panel } from './dashboards.ts';
import { queryRange, type Series, type Span } from './prometheus-query.ts';

/** Where the samples come from. */
export interface Source {
  readonly url: string;
  /** At least four scrapes: `30s`. */
  readonly rateInterval: string;
  /** Name of a process, by the address that was scraped. */
  readonly nameOf: (instance: string) => string;
}

/** A legend as Grafana fills it in. */
export function legendOf(
  template: string,
  { labels }: Pick<Series, 'labels'>,
  { nameOf }: Pick<Source, 'nameOf'>,
): string {
  const texts = new Map(Object.entries(labels));
  const instance = texts.get('instance');
  if (instance !== undefined) texts.set('instance', nameOf(instance));
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => texts.get(label) ?? '').trim();
}

/** The lines of all queries of a panel. @throws Error Prometheus refused a query */
export async function linesOf({ queries }: Panel, source: Source, span: Span): Promise<readonly Line[]> {
  const answers = await Promise.all(
    queries.map(async ({ expr, legend }) => {
      const series = await queryRange(source.url, withoutVariables(expr, source.rateInterval), span);
      return series.map((each) => ({ legend: legendOf(legend, each, source), points: each.points }));
    }),
  );
  return answers.flat();
}
