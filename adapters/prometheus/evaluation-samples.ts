import type { SeriesSample } from '../../core/failover/evaluation-from-series.ts';
import type { PrometheusClient } from './client.ts';
import { evaluationQuery } from './expressions.ts';

/**
 * The operator's latest metrics of one Orb, and the breakers and probes of all processes, each as a series of its own.
 * @param orb `matcher` as in `Wanted` of the expressions; default: any
 * @param deadlineMs 2000 for the status endpoint (failover.md §9.3)
 * @returns undefined: no usable answer, or an empty one
 */
export async function queryEvaluation(
  client: PrometheusClient,
  orb: { readonly namespace: string; readonly orbId: string; readonly matcher?: string },
  deadlineMs: number,
  signal: AbortSignal,
): Promise<readonly SeriesSample[] | undefined> {
  const found: SeriesSample[] = [];
  const query = {
    promql: evaluationQuery(orb, orb.matcher ?? ''),
    deadlineMs,
    onSample: ({ labels, value }: Omit<SeriesSample, 'name'>): void => {
      found.push({ name: labels['__name__'] ?? '', labels, value });
    },
  };
  const { kind } = await client.query(query, signal);
  return kind === 'vector' ? found : undefined;
}
