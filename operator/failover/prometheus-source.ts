import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createPrometheusClient } from '../../adapters/prometheus/client.ts';
import type { PrometheusSettings } from '../../adapters/prometheus/settings.ts';
import { createPrometheusSource } from '../../adapters/prometheus/source.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';

export interface ClosableMetricsSource extends MetricsSource {
  readonly close: () => Promise<void>;
}

interface PrometheusSourceDeps {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Metrics from Prometheus. An outage is logged when it begins, when its cause changes, and when it ends. */
export function openPrometheusSource(
  { connection, mode, scrapeIntervalMs, matcher }: PrometheusSettings,
  { clock, logger }: PrometheusSourceDeps,
): ClosableMetricsSource {
  const client = createPrometheusClient({ connection, clock });
  let loggedReason: string | undefined;
  const source = createPrometheusSource({
    client,
    clock,
    scrapeIntervalMs,
    mode,
    matcher,
    onUnusable: (why, detail) => {
      if (loggedReason !== why)
        logger.warn('Prometheus returns no usable metrics: there are no automatic swaps', { why, detail });
      loggedReason = why;
    },
  });
  return {
    measure: async (orbs, signal) => {
      const measured = await source.measure(orbs, signal);
      if (measured.origin !== null && loggedReason !== undefined) {
        logger.info('Prometheus returns usable metrics again');
        loggedReason = undefined;
      }
      return measured;
    },
    close: client.close,
  };
}
