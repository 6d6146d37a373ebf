import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { PrometheusSettings } from '../../adapters/prometheus/settings.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { ProcessMetrics } from '../../adapters/telemetry/process-metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { createFailoverState, type FailoverState } from './failover-state.ts';
import { openPrometheusSource, type ClosableMetricsSource } from './prometheus-source.ts';
import { createFailoverGauges } from './gauges.ts';

/** Parts that only the swap loop uses. */
export interface FailoverParts {
  readonly state: FailoverState;
  /** Absent: no provider is swapped by metrics. */
  readonly source: ClosableMetricsSource | undefined;
  /** Metrics of the whole process. */
  readonly slices: ProcessMetrics['slices'];
}

interface FailoverTools {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: ProcessMetrics & { readonly registry: Registry };
  /** Epoch of the held lease. */
  readonly epoch: () => number;
}

/** @param prometheus absent: nothing is swapped by metrics */
export function openFailover(
  prometheus: PrometheusSettings | undefined,
  { clock, random, logger, metrics, epoch }: FailoverTools,
): FailoverParts {
  const gauges = createFailoverGauges(metrics.registry, clock);
  const scrapeIntervalMs = prometheus?.scrapeIntervalMs;
  return {
    state: createFailoverState({ clock, random, randomBytes, epoch, scrapeIntervalMs, gauges }),
    source: prometheus === undefined ? undefined : openPrometheusSource(prometheus, { clock, logger }),
    slices: async function* slices() {
      yield* metrics.slices();
      yield* gauges.slices();
    },
  };
}
