import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { ProcessMetrics } from '../../adapters/telemetry/process-metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Settings } from '../settings.ts';
import { createFailoverState, type FailoverState } from './failover-state.ts';
import { openFiguresSource, type FiguresSource } from './figures-source.ts';
import { createFailoverGauges } from './gauges.ts';

/** What the swap loop has of its own. */
export interface FailoverParts {
  readonly state: FailoverState;
  /** Absent: nothing is swapped by figures. */
  readonly source: FiguresSource | undefined;
  /** Of the whole process. */
  readonly slices: ProcessMetrics['slices'];
}

interface FailoverTools {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: ProcessMetrics & { readonly registry: Registry };
  /** Of the lease that is held. */
  readonly epoch: () => number;
}

export function openFailover(
  { prometheus }: Pick<Settings, 'prometheus'>,
  { clock, random, logger, metrics, epoch }: FailoverTools,
): FailoverParts {
  const gauges = createFailoverGauges(metrics.registry, clock);
  const scrapeIntervalMs = prometheus?.scrapeIntervalMs;
  return {
    state: createFailoverState({ clock, random, randomBytes, epoch, scrapeIntervalMs, gauges }),
    source: prometheus === undefined ? undefined : openFiguresSource(prometheus, { clock, logger }),
    slices: async function* slices() {
      yield* metrics.slices();
      yield* gauges.slices();
    },
  };
}
