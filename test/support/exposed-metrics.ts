import { createKubeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { createMetrics, observeCertificate } from '../../adapters/telemetry/metrics.ts';
import { createReputationCounters, observeReputation } from '../../adapters/telemetry/reputation-metrics.ts';
import { createHttpMetrics } from '../../api-server/http/http-metrics.ts';
import { observeLedgerChecks } from '../../api-server/log-head/check-metrics.ts';
import { createPolicyMetrics } from '../../api-server/policy/policy-metrics.ts';
import { createReplayCounters } from '../../api-server/replays/replay-metrics.ts';
import { createReceiveMetrics } from '../../api-server/ingestion/receive-metrics.ts';
import { createWorkerMetrics } from '../../api-server/ingestion/worker/worker-metrics.ts';
import { StatusMemory } from '../../api-server/status/status-memory.ts';
import { createProbeObserver, observeStatus } from '../../api-server/status/status-metrics.ts';
import { createFailoverGauges } from '../../operator/failover/gauges.ts';
import { createLoaderMetrics } from '../../operator/loader/loader-metrics.ts';
import { createFakeClock } from './fake-clock.ts';
import { IDLE_INGESTION, IDLE_POLICIES, IDLE_REPUTATION, IDLE_SOURCES } from './idle-sources.ts';

const TYPE = /^# TYPE (\S+) (\S+)$/gm;
const HISTOGRAM = ['_bucket', '_sum', '_count'];
const NOW = 1_800_000_000_000;

async function textOf(...slices: readonly AsyncGenerator<string>[]): Promise<string> {
  let text = '';
  for (const each of slices) for await (const slice of each) text += slice;
  return text;
}

/** Names of all series that operator, API and prober can expose, read from their answers to a scrape. */
export async function exposedMetrics(): Promise<ReadonlySet<string>> {
  const clock = createFakeClock(NOW);
  const api = createMetrics({ clock, version: '0.0.0', sources: IDLE_SOURCES });
  observeCertificate(api.registry, () => NOW);
  createKubeMetrics(api.registry, { clock });
  createLoaderMetrics(api.registry);
  createReputationCounters(api.registry);
  observeReputation(api.registry, IDLE_REPUTATION);
  createPolicyMetrics(api.registry, IDLE_POLICIES);
  createReplayCounters(api.registry);
  createReceiveMetrics(api.registry);
  createWorkerMetrics(api.registry, IDLE_INGESTION);
  observeStatus(api.registry, new StatusMemory(NOW), clock);
  createHttpMetrics(api.registry).observe(() => ({ connections: 0, bodyBytes: 0, unreadBytes: 0, waitingRefusals: 0 }));
  observeLedgerChecks(api.registry, { sinceMs: () => 0, faults: () => ({}) });
  createProbeObserver(api.registry, () => 0);
  const failover = createFailoverGauges(api.registry, clock);
  const text = await textOf(api.slices(), failover.slices());
  const families = [...text.matchAll(TYPE)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? HISTOGRAM.map((suffix) => name + suffix) : [name],
  );
  return new Set(families);
}
