import type { OrbToMeasure } from '../../../adapters/failover-metrics/port.ts';
import { createMetrics, type Metrics } from '../../../adapters/telemetry/metrics.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { IDLE_SOURCES } from '../../../test/support/idle-sources.ts';

const NAMESPACES = 50;
export const PROVIDERS = ['sendgrid', 'mailgun'] as const;
const [ACTIVE, STANDBY] = PROVIDERS;
/** One run each 3 s: enough for the smallest window. */
const RUNS_A_STEP = 5;
const STEPS_A_PROBE = 2;

/** Orbs with two providers, spread over namespaces. */
export const syntheticOrbs = (count: number): readonly OrbToMeasure[] =>
  Array.from({ length: count }, (_, index) => ({
    namespace: `tenant-${index % NAMESPACES}`,
    orbId: `acme.send-email-${index}@1.0.0`,
    providers: PROVIDERS,
    quantile: 0.95,
  }));

/** 0.1 to 0.5 s, different for each run and the same in every process. */
const secondsOf = (index: number, run: number): number => 0.1 + ((index * 7919 + run * 104_729) % 400) / 1000;

/** The metrics of an API process that has all of these Orbs and probes them; nothing is counted yet. */
export function metricsOf(orbs: readonly OrbToMeasure[]): Metrics {
  const metrics = createMetrics({ clock: systemClock, version: '0', sources: IDLE_SOURCES });
  for (const { namespace, orbId, providers } of orbs) {
    metrics.setOrb({ namespace, orbId, providers, swaps: true });
    metrics.setProbing(namespace, orbId, true);
  }
  return metrics;
}

/** Adds 15 seconds of healthy Orbs: runs at the active provider, and now and then a probe of the other provider. */
export function countStep(metrics: Metrics, orbs: readonly OrbToMeasure[], step: number, atSeconds: number): void {
  for (const [index, { namespace, orbId }] of orbs.entries()) {
    const active = metrics.provider(namespace, orbId, ACTIVE);
    for (let run = 0; run < RUNS_A_STEP; run += 1)
      active.attempt('success', secondsOf(index, step * RUNS_A_STEP + run));
    if ((step + index) % STEPS_A_PROBE !== 0) continue;
    metrics.provider(namespace, orbId, STANDBY).probe('success', secondsOf(index, step), atSeconds);
  }
}
