import type { Ledger } from '../../adapters/ledger/port.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { KeptResults } from '../../core/policy/decision/kept-results.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { PoliciesInForce } from '../policy/policies.ts';
import { createPolicyMetrics } from '../policy/policy-metrics.ts';
import type { Listings } from '../reputation/listings.ts';
import { DayCounts, dayBegin } from '../runtime/day-counts.ts';
import { LastingFacts } from '../runtime/lasting-facts.ts';
import type { PolicyState } from '../runtime/policy-state.ts';
import type { RuntimeSettings } from '../runtime/runtime.ts';

export interface PolicyParts {
  readonly ledger: Ledger;
  readonly reputation: { readonly listings: Pick<Listings, 'orb'> };
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly clock: Clock;
  readonly log: Pick<ProcessLog, 'logger'>;
  readonly settings: Pick<RuntimeSettings, 'platformNamespace' | 'policyRetention'>;
}

/** Reads how many runs this day had before the process began. Without them, rules that read a count fail (policy.md §3.2). */
async function loadDayCounts({ ledger, clock, log }: PolicyParts, counts: DayCounts): Promise<void> {
  const now = clock.now();
  try {
    counts.load(now, await ledger.policyCounts(dayBegin(now)));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    log.logger.error('the runs of this day could not be counted: rules that read counts fail until tomorrow', {
      error,
    });
  }
}

/** Makes the policies of a process and what their decisions share. No object was read yet. @throws LedgerError */
export async function createPolicies(
  parts: PolicyParts,
): Promise<{ readonly policies: PoliciesInForce; readonly policyState: PolicyState }> {
  const { ledger, reputation, metrics, clock, log, settings } = parts;
  const counted = createPolicyMetrics(metrics.registry, {
    costUnits: () => policies.costUnits(),
    standings: () => policies.standings(),
    retention: settings.policyRetention,
  });
  const policies = new PoliciesInForce({
    ledger,
    engine: CEL_ENGINE,
    platformNamespace: settings.platformNamespace,
    clock,
    logger: log.logger,
    compileFailed: counted.compileFailed,
  });
  policies.watch(() => counted.setPolicies(policies.names()));
  await policies.feed.open();
  const dayCounts = new DayCounts();
  await loadDayCounts(parts, dayCounts);
  const lastingFacts = new LastingFacts(reputation.listings.orb);
  return { policies, policyState: { lastingFacts, kept: new KeptResults(), dayCounts, decided: counted.decided } };
}
