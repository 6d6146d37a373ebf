import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createPrometheusClient } from '../../adapters/prometheus/client.ts';
import type { PrometheusSettings } from '../../adapters/prometheus/settings.ts';
import { createPrometheusSource } from '../../adapters/prometheus/source.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';

export interface FiguresSource extends MetricsSource {
  readonly close: () => Promise<void>;
}

interface FiguresSourceDeps {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Figures of Prometheus; an outage is told when it begins, when its cause is another one, and when it is over. */
export function openFiguresSource(
  { connection, mode, scrapeIntervalMs, matcher }: PrometheusSettings,
  { clock, logger }: FiguresSourceDeps,
): FiguresSource {
  const client = createPrometheusClient({ connection, clock });
  let told: string | undefined;
  const source = createPrometheusSource({
    client,
    clock,
    scrapeIntervalMs,
    mode,
    matcher,
    onUnusable: (why, detail) => {
      if (told !== why) logger.warn('Prometheus gives no usable figures: nothing is swapped by them', { why, detail });
      told = why;
    },
  });
  return {
    look: async (orbs, signal) => {
      const measured = await source.look(orbs, signal);
      if (measured.origin !== null && told !== undefined) {
        logger.info('Prometheus gives usable figures again');
        told = undefined;
      }
      return measured;
    },
    close: client.close,
  };
}
