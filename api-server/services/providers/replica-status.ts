import type { ProviderHealth } from '../../../core/failover/evaluation-summary.ts';
import type { BreakerState } from '../../../core/failover/metrics.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { ProviderView } from '../../runtime/failover/orb-failovers.ts';
import { timeText } from './orb-state.ts';

/** What the answering process knows of an Orb's providers, by provider. */
export interface SeenReplica {
  /** Its instance name. */
  readonly name: string;
  readonly breakers: Readonly<Record<string, BreakerState>>;
  /** End of a pause, ms since epoch. */
  readonly cooling: Readonly<Record<string, number>>;
  readonly providers: Readonly<Record<string, ProviderView>>;
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : timeText(at));

/** The last failed attempt at a provider, as answers show it. */
export function lastFailureView({ lastFailure }: Pick<ProviderView, 'lastFailure'>): JsonObject | null {
  if (lastFailure === null) return null;
  const { at, outcome, httpStatus, cause, runId } = lastFailure;
  return {
    at: timeText(at),
    outcome,
    http_status: httpStatus,
    reason: cause.reason,
    detail: cause.detail,
    run_id: runId,
  };
}

/** A provider that was never called here. */
const UNCALLED: ProviderView = {
  breaker: 'closed',
  since: null,
  until: null,
  pausedUntil: null,
  failures: 0,
  lastFailure: null,
};

function providerView(name: string, view: ProviderView): JsonObject {
  const { breaker, since, until, pausedUntil, failures } = view;
  return {
    name,
    breaker,
    since: timeOrNull(since),
    until: timeOrNull(until),
    paused_until: timeOrNull(pausedUntil),
    failures,
    last_failure: lastFailureView(view),
  };
}

/** Member `this_replica` of the status. @param names every resolved provider */
export const replicaView = (
  names: readonly string[],
  { name, breakers, cooling, providers }: SeenReplica,
): JsonObject => ({
  name,
  breakers: Object.fromEntries(names.map((provider) => [provider, breakers[provider] ?? 'closed'])),
  cooling: Object.fromEntries(Object.entries(cooling).map(([provider, until]) => [provider, timeText(until)])),
  providers: names.map((provider) => providerView(provider, providers[provider] ?? UNCALLED)),
});

const RANK: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** The worst state of a breaker that is known, and the replica that has it. */
export function worstBreaker(
  provider: string,
  health: Pick<ProviderHealth, 'breaker' | 'replica'> | undefined,
  { name, breakers }: SeenReplica,
): JsonObject {
  const own = breakers[provider] ?? 'closed';
  if (own !== 'closed' && RANK[own] >= RANK[health?.breaker ?? 'closed'])
    return { breaker: own, breaker_replica: name };
  return { breaker: health?.breaker ?? null, breaker_replica: health?.replica ?? null };
}
