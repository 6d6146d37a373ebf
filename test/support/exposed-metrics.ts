import { createKubeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { createMetrics, observeCertificate } from '../../adapters/telemetry/metrics.ts';
import { createReputationCounters, observeReputation } from '../../adapters/telemetry/reputation-metrics.ts';
import { createPolicyMetrics } from '../../api-server/policy/policy-metrics.ts';
import { createFailoverGauges } from '../../operator/failover/gauges.ts';
import { createLoaderMetrics } from '../../operator/loader/loader-metrics.ts';
import { createFakeClock } from './fake-clock.ts';
import { IDLE_POLICIES, IDLE_REPUTATION, IDLE_SOURCES } from './idle-sources.ts';

const TYPE = /^# TYPE (\S+) (\S+)$/gm;
const HISTOGRAM = ['_bucket', '_sum', '_count'];
const NOW = 1_800_000_000_000;

async function textOf(...slices: readonly AsyncGenerator<string>[]): Promise<string> {
  let text = '';
  for (const each of slices) for await (const slice of each) text += slice;
  return text;
}

/** Names of all series that operator and API can expose, read from their answers to a scrape. */
export async function exposedMetrics(): Promise<ReadonlySet<string>> {
  const clock = createFakeClock(NOW);
  const api = createMetrics({ clock, version: '0.0.0', sources: IDLE_SOURCES });
  observeCertificate(api.registry, () => NOW);
  createKubeMetrics(api.registry, { clock });
  createLoaderMetrics(api.registry);
  createReputationCounters(api.registry);
  observeReputation(api.registry, IDLE_REPUTATION);
  createPolicyMetrics(api.registry, IDLE_POLICIES);
  const failover = createFailoverGauges(api.registry, clock);
  const text = await textOf(api.slices(), failover.slices());
  const families = [...text.matchAll(TYPE)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? HISTOGRAM.map((suffix) => name + suffix) : [name],
  );
  return new Set(families);
}
