import type { Measurement, OrbToMeasure } from '../../adapters/failover-metrics/port.ts';
import type { PrometheusClient, Unusable } from '../../adapters/prometheus/client.ts';
import { createPrometheusSource, type PrometheusSourceOptions } from '../../adapters/prometheus/source.ts';
import type { Sample } from '../../adapters/prometheus/vector-stream.ts';
import type { MetricsSnapshot, ProviderMetrics } from '../../core/failover/metrics.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

/** Start of the clock of a rig. */
export const NOW = 1_800_000_000_000;
/** The Orb of the samples that `sampleOf` builds. */
export const ORB: OrbToMeasure = { namespace: 'acme', orbId: 'x@1.0.0', providers: ['a', 'b'], quantile: 0.95 };

export const ok = (value: number): unknown => ({ kind: 'ok', value });
export const none = (why: string): unknown => ({ kind: 'none', why });

/** @throws Error the snapshot is unusable, or has no such provider */
export function providerOf(snapshot: MetricsSnapshot, name: string): ProviderMetrics {
  const provider = snapshot.state === 'fresh' ? snapshot.providers[name] : undefined;
  if (provider === undefined) throw new Error(`no ${name} in ${JSON.stringify(snapshot)}`);
  return provider;
}

/** A source whose client returns the test's answers. */
export interface SourceRig {
  readonly clock: FakeClock;
  /** The queries, in order. */
  readonly asked: readonly string[];
  /** One query, by default for ORB. Samples are evaluated at the clock's current time. */
  readonly measure: (answer: readonly Sample[] | Unusable, orbs?: readonly OrbToMeasure[]) => Promise<Measurement>;
}

export function createSourceRig(options: Partial<PrometheusSourceOptions> = {}): SourceRig {
  const clock = createFakeClock(NOW);
  const asked: string[] = [];
  let next: readonly Sample[] | Unusable = [];
  const client: PrometheusClient = {
    query: async ({ promql, onSample }) => {
      asked.push(promql);
      if ('why' in next) return next;
      for (const sample of next) onSample({ ...sample, evaluatedAt: clock.now() / 1000 });
      return { kind: 'vector', samples: next.length };
    },
    close: async () => undefined,
  };
  const source = createPrometheusSource({ client, clock, scrapeIntervalMs: 15_000, mode: 'query', ...options });
  const measure: SourceRig['measure'] = (answer, orbs = [ORB]) => {
    next = answer;
    return source.measure(orbs, new AbortController().signal);
  };
  return { clock, asked, measure };
}
