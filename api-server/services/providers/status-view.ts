import { failbackView, type FailbackView } from '../../../core/failover/failback-view.ts';
import type { EvaluationSummary, ProviderSummary, ProviderHealth } from '../../../core/failover/evaluation-summary.ts';
import { resolveSwapConfig } from '../../../core/failover/resolve-swap-config.ts';
import { RULE_TEXTS } from '../../../core/failover/rule-texts.ts';
import type { FailoverPin, FailoverStatus, ResolvedSwapConfig, SwapRecord } from '../../../core/failover/types.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { activeOf, namesOf, pinInForce, pinOrNull, primaryOf, timeText, type FoundOrb } from './orb-state.ts';
import { replicaView, worstBreaker, type SeenReplica } from './replica-status.ts';

const SWAPS_SHOWN = 10;
const P95 = 0.95;
/** Age of an evaluation that is allowed beyond two intervals, for scrape, cache and clocks. */
const LATE_MS = 60_000;

const timeOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : timeText(ms);
const rounded = (ms: number | null | undefined): number | null =>
  ms === null || ms === undefined ? null : Math.round(ms);

/** All data that one answer shows, read once. */
interface Seen extends FoundOrb {
  readonly now: number;
  readonly active: string;
  /** Undefined for a `once` swap, which is not a pin. */
  readonly pin: FailoverPin | undefined;
  readonly failover: FailoverStatus | undefined;
  /** Undefined without `swap_config`. */
  readonly config: ResolvedSwapConfig | undefined;
  readonly evaluation: EvaluationSummary | undefined;
  readonly replica: SeenReplica;
}

type Word = 'single' | 'primary' | 'failed_over' | 'ramping' | 'pinned' | 'all_down' | 'frozen';

/** The first word that is true is the most important one. */
function stateOf({ now, active, pin, failover, orb, evaluation }: Seen): Word {
  const { ramp = null, frozen = null } = failover ?? {};
  const words: readonly (readonly [Word, boolean])[] = [
    ['all_down', evaluation?.rule === 'all-down'],
    ['frozen', frozen !== null && frozen.until > now],
    ['pinned', pin !== undefined],
    ['ramping', ramp !== null],
    ['single', orb.providers.size === 1],
    ['primary', active === primaryOf(orb)],
  ];
  return words.find(([, holds]) => holds)?.[0] ?? 'failed_over';
}

/** Since when the active provider is active; null until the swap is recorded. */
function since({ active, failover }: Seen): JsonObject {
  const isRecorded = failover?.activeProvider === active;
  return { since: isRecorded ? timeText(failover.since) : null, reason: isRecorded ? failover.reason : null };
}

function rampView({ failover }: Seen): JsonObject | null {
  const ramp = failover?.ramp ?? null;
  if (ramp === null) return null;
  const { provider, percent, stepStartedAt, trial } = ramp;
  return { provider, percent, trial, step_started_at: timeText(stepStartedAt) };
}

function frozenView({ now, failover }: Seen): JsonObject | null {
  const frozen = failover?.frozen ?? null;
  return frozen === null || frozen.until <= now ? null : { until: timeText(frozen.until), reason: frozen.reason };
}

/** Metrics don't stay fresh: an evaluator that is away or stuck still shows its last evaluation. */
function metricsView({ evaluation, config, now }: Seen): JsonObject {
  const lateMs = LATE_MS + 2 * (config?.latency.evaluationIntervalMs ?? 0);
  const age = evaluation !== undefined && now - evaluation.evaluatedAt <= lateMs ? evaluation.dataAgeMs : null;
  return {
    state: age === null ? 'unusable' : 'fresh',
    evaluated_at: timeOrNull(evaluation?.evaluatedAt),
    age_s: age === null ? null : Math.round(age / 1000),
  };
}

const healthView = (health: ProviderHealth | undefined): JsonObject => {
  const probe = health?.lastProbe ?? null;
  return {
    last_probe:
      probe === null
        ? null
        : { at: timeText(probe.at), outcome: probe.outcome, duration_ms: Math.round(probe.durationMs) },
  };
};

const UNKNOWN: Omit<ProviderSummary, 'provider'> = {
  evidence: 'none',
  window: null,
  n: 0,
  p50Ms: null,
  pqMs: null,
  errorRatio: null,
  probeOkRatio: null,
};

/** @param quantile of `pqMs`: a 99th percentile is not shown as a 95th */
function measurementsView(known: ProviderSummary | undefined, quantile: number): JsonObject {
  const { evidence, window, n, p50Ms, pqMs, errorRatio, probeOkRatio } = known ?? UNKNOWN;
  return {
    evidence,
    window,
    n: Math.round(n),
    p50_ms: rounded(p50Ms),
    p95_ms: quantile === P95 ? rounded(pqMs) : null,
    error_ratio: errorRatio,
    probe_ok_ratio: probeOkRatio,
  };
}

function roleOf(name: string, { orb }: Seen): string {
  if (name === primaryOf(orb)) return 'primary';
  return orb.manifest.swap_config?.fallbacks?.includes(name) === true ? 'fallback' : 'other';
}

function providerView(name: string, seen: Seen): JsonObject {
  const { orb, active, failover, evaluation, config, now, replica } = seen;
  const until = failover?.holds.find(({ provider }) => provider === name)?.until ?? 0;
  const known = evaluation?.providers.find(({ provider }) => provider === name);
  return {
    name,
    role: roleOf(name, seen),
    resolved: orb.providers.has(name),
    active: name === active,
    ...measurementsView(known, config?.latency.quantile ?? P95),
    ...healthView(evaluation?.health[name]),
    ...worstBreaker(name, evaluation?.health[name], replica),
    hold_until: until > now ? timeText(until) : null,
  };
}

function failback({ now, active, pin, failover, orb, config, evaluation }: Seen): FailbackView | undefined {
  if (config === undefined) return undefined;
  return failbackView({
    now,
    config,
    active,
    primaryResolved: orb.providers.has(config.primary),
    failover,
    pinnedUntil: pin?.expiresAt,
    evaluation:
      evaluation === undefined ? undefined : { at: evaluation.evaluatedAt, recovered: evaluation.streaks.recovered },
  });
}

function verdictView({ verdict }: EvaluationSummary): JsonObject {
  const { kind, valueMs, thresholdMs, window, n } = verdict;
  return { kind, value_ms: rounded(valueMs), threshold_ms: rounded(thresholdMs), window, n: Math.round(n) };
}

/** Null for an Orb without automatic decisions. */
function decisionView(seen: Seen): JsonObject | null {
  const { evaluation, config } = seen;
  const view = failback(seen);
  if (config === undefined || view === undefined) return null;
  return {
    rule: evaluation?.rule ?? null,
    verdict: evaluation === undefined ? null : verdictView(evaluation),
    why: evaluation === undefined ? null : RULE_TEXTS[evaluation.rule],
    streaks: evaluation === undefined ? null : { ...evaluation.streaks, needed: config.failback.consecutive },
    failback_ready: view.ready,
    next_possible_failback: timeOrNull(view.nextPossible),
    blocked_by: view.blockedBy,
  };
}

const swapView = ({ seq, at, from, to, reason, actor, receiptId }: SwapRecord): JsonObject => ({
  seq,
  at: timeText(at),
  from,
  to,
  reason,
  actor,
  receipt_id: receiptId,
});

/**
 * The answer of `GET /providers/{orb_id}/status` (failover.md §9.3). It only reads; it decides nothing.
 * @param evaluation metrics of the last evaluation; undefined: not available, and all members that depend on them are null
 * @param now ms since epoch
 */
export function statusView(
  found: FoundOrb,
  evaluation: EvaluationSummary | undefined,
  replica: SeenReplica,
  now: number,
): Readonly<Record<string, JsonValue>> {
  const { orb, place } = found;
  const active = activeOf(orb, now);
  const pin = pinInForce(orb, now);
  const config = resolveSwapConfig(orb.manifest);
  const seen: Seen = {
    ...found,
    now,
    active,
    pin: pin?.mode === 'once' ? undefined : pin,
    failover: orb.failover,
    config,
    evaluation,
    replica,
  };
  return {
    orb_id: place.orbId,
    active_provider: active,
    state: stateOf(seen),
    strategy: config?.strategy ?? null,
    primary: primaryOf(orb),
    ...since(seen),
    pin: pinOrNull(seen.pin),
    ramp: rampView(seen),
    frozen: frozenView(seen),
    metrics: metricsView(seen),
    providers: namesOf(orb).map((name) => providerView(name, seen)),
    decision: decisionView(seen),
    swaps: (orb.failover?.history ?? []).slice(-SWAPS_SHOWN).toReversed().map(swapView),
    this_replica: replicaView([...orb.providers.keys()], replica),
  };
}
