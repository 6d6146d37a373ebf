import type { PrometheusClient } from './client.ts';
import { figuresQuery } from './expressions.ts';

/** One series of an Orb, with the last value from the operator or an API process. */
export interface FigureSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite. */
  readonly value: number;
}

/**
 * The operator's latest metrics of one Orb, and the breakers and probes of all processes, each as a series of its own.
 * @param orb `matcher` as in `Wanted` of the expressions; default: any
 * @param deadlineMs 2000 for the status endpoint (failover.md §9.3)
 * @returns undefined: no usable answer, or an empty one
 */
export async function queryFigures(
  client: PrometheusClient,
  orb: { readonly namespace: string; readonly orbId: string; readonly matcher?: string },
  deadlineMs: number,
  signal: AbortSignal,
): Promise<readonly FigureSample[] | undefined> {
  const found: FigureSample[] = [];
  const query = {
    promql: figuresQuery(orb, orb.matcher ?? ''),
    deadlineMs,
    onSample: ({ labels, value }: Omit<FigureSample, 'name'>): void => {
      found.push({ name: labels['__name__'] ?? '', labels, value });
    },
  };
  const { kind } = await client.query(query, signal);
  return kind === 'vector' ? found : undefined;
}
