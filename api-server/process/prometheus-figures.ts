import { createPrometheusClient } from '../../adapters/prometheus/client.ts';
import { queryFigures } from '../../adapters/prometheus/figures.ts';
import type { PrometheusSettings } from '../../adapters/prometheus/settings.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { figuresFromSeries } from '../../core/failover/figures-from-series.ts';
import { cachedFigures, DEADLINE_MS } from '../providers/figures-source.ts';
import type { FiguresSource } from '../providers/port.ts';

/** The source of the operator's metrics, and a way to close it. */
export interface OpenFigures {
  readonly figures: FiguresSource;
  readonly close: () => Promise<void>;
}

/** Reads the operator's metrics from the Prometheus that scrapes it. Without Prometheus there are no metrics. */
export function openFigures(
  settings: PrometheusSettings | undefined,
  { clock, logger }: { readonly clock: Clock; readonly logger: Pick<Logger, 'debug'> },
): OpenFigures {
  if (settings === undefined) return { figures: () => Promise.resolve(undefined), close: () => Promise.resolve() };
  const { connection, matcher } = settings;
  const client = createPrometheusClient({ connection, clock });
  const figures = cachedFigures(
    async (orb, signal) => {
      const samples = await queryFigures(client, { ...orb, matcher }, DEADLINE_MS, signal);
      return samples === undefined ? undefined : figuresFromSeries(samples, orb);
    },
    { clock, logger },
  );
  return { figures, close: client.close };
}
