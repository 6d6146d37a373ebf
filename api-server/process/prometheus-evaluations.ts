import { createPrometheusClient } from '../../adapters/prometheus/client.ts';
import { queryEvaluation } from '../../adapters/prometheus/evaluation-samples.ts';
import type { PrometheusSettings } from '../../adapters/prometheus/settings.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { evaluationFromSeries } from '../../core/failover/evaluation-from-series.ts';
import { cachedEvaluations, DEADLINE_MS } from '../providers/evaluation-source.ts';
import type { EvaluationSource } from '../providers/port.ts';

/** The source of the operator's metrics, and a way to close it. */
export interface PrometheusEvaluations {
  readonly lastEvaluation: EvaluationSource;
  readonly close: () => Promise<void>;
}

/** Reads the operator's metrics from the Prometheus that scrapes it. Without Prometheus there are no metrics. */
export function openPrometheusEvaluations(
  settings: PrometheusSettings | undefined,
  { clock, logger }: { readonly clock: Clock; readonly logger: Pick<Logger, 'debug'> },
): PrometheusEvaluations {
  if (settings === undefined)
    return { lastEvaluation: () => Promise.resolve(undefined), close: () => Promise.resolve() };
  const { connection, matcher } = settings;
  const client = createPrometheusClient({ connection, clock });
  const lastEvaluation = cachedEvaluations(
    async (orb, signal) => {
      const samples = await queryEvaluation(client, { ...orb, matcher }, DEADLINE_MS, signal);
      return samples === undefined ? undefined : evaluationFromSeries(samples, orb);
    },
    { clock, logger },
  );
  return { lastEvaluation, close: client.close };
}
