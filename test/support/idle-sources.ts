import type { MetricSources } from '../../adapters/telemetry/metrics.ts';
import type { ReputationSources } from '../../adapters/telemetry/reputation-metrics.ts';
import type { PolicyMetricSources } from '../../api-server/policy/policy-metrics.ts';
import type { WorkerMetricSources } from '../../api-server/ingestion/worker/worker-metrics.ts';

/** What the metrics of a process without work are read from. */
export const IDLE_SOURCES: MetricSources = {
  runsInFlight: () => 0,
  ledgerLoad: () => ({ queuedRows: 0, oldestMs: 0 }),
  ledgerCommits: () => ({ groups: 0, rows: 0 }),
  logSize: () => Promise.resolve(0),
  tenants: () => Promise.resolve([]),
  apiKeys: () => [],
  egressExceptions: () => 0,
  logConsistent: () => true,
  logHeadSize: () => 0,
  leftOutLines: () => 0,
};

/** What the metrics of a marketplace without publications are read from. */
export const IDLE_REPUTATION: ReputationSources = {
  publications: () => [],
  oldestEvaluation: () => undefined,
  nextCertificateExpiry: () => Promise.resolve(undefined),
  backlog: () => 0,
  orgs: () => [],
  isConsistent: () => true,
};

/** What the metrics of policies are read from while there is none. */
export const IDLE_POLICIES: PolicyMetricSources = {
  costUnits: () => [],
  standings: () => [],
  retention: { decisionsMs: 90 * 86_400_000, replaysMs: 30 * 86_400_000 },
};

/** What the metrics of ingestion are read from while nothing was received. */
export const IDLE_INGESTION: WorkerMetricSources = {
  ledger: {
    queueDepth: () => Promise.resolve({ sources: [], oldestReceivedAt: null }),
    openIncidentCounts: () => Promise.resolve([]),
  },
  now: () => 0,
  successAge: () => 0,
};
