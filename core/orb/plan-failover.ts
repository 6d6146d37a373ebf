import { failoverConditions, SWAP_CONDITIONS, type MetricsKnown } from '../failover/conditions.ts';
import type { EvidenceOrigin } from '../failover/evidence.ts';
import { followPin } from '../failover/follow-pin.ts';
import { lintScrape } from '../failover/lint-scrape.ts';
import { readFailoverStatus, writeFailoverStatus } from '../failover/status-codec.ts';
import {
  newSwap,
  resolvedNames,
  stepFailover,
  swapEvents,
  type FailoverStep,
  type StepMemory,
} from '../failover/step.ts';
import type { MetricsSnapshot } from '../failover/metrics.ts';
import type { FailoverStatus, ResolvedSwapConfig, SwapRecord } from '../failover/types.ts';
import { withTransitions, type Condition, type WantedCondition } from '../reconcile/conditions.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { done, type Outcome } from '../reconcile/outcome.ts';
import type { StatusPlan } from '../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, statusOf } from '../reconcile/read-object.ts';
import { changeEvent } from '../reconcile/verdict.ts';
import type { JudgedManifest } from './plan-manifest.ts';
import { lastValidOf, ORB_ID_CONFLICT, verdictOf, type OrbSnapshot } from './plan-orb.ts';
import { failoverPinIn, judgePin } from './plan-pin.ts';

type Valid = JudgedManifest & { readonly kind: 'valid' };

/** Inputs of one evaluation of an Orb, and the memory of earlier evaluations. */
export interface FailoverEvaluation {
  /** Ms since epoch of its tick. A step of a ramp lasts from tick to tick, independent of when it was written. */
  readonly at: number;
  readonly metrics: MetricsSnapshot;
  readonly origin: EvidenceOrigin | null;
  readonly memory: StepMemory;
}

/** Circumstances of a plan, beside the Orb. */
export interface FailoverMoment {
  /** Ms since epoch: wall clock at start plus monotonic time since. */
  readonly now: number;
  /** Epoch of the operator's lease. */
  readonly epoch: number;
  /** Id of the receipt for a swap that is decided now. */
  readonly receiptId: string;
  /** Jitter of a hold, in [0, 1). */
  readonly random: number;
  /** Scrape interval of the metrics source; absent without a source. */
  readonly scrapeIntervalMs: number | undefined;
  /** Absent: only pin and manifest are followed, without waiting for metrics. */
  readonly evaluation?: FailoverEvaluation;
}

export interface FailoverPlan extends StatusPlan {
  /** Absent without an evaluation. */
  readonly step?: FailoverStep;
  /** A swap that takes effect when the status is written. */
  readonly swap?: SwapRecord;
}

const ACTION = 'ChooseProvider';

function providersResolved({ unresolved }: Valid): WantedCondition {
  return unresolved === ''
    ? { type: 'ProvidersResolved', status: 'True', reason: 'AllResolved', message: 'Every provider has an execution.' }
    : { type: 'ProvidersResolved', status: 'False', reason: 'ProviderUndefined', message: unresolved };
}

/** Events for a condition that turned bad, or that is good again. A condition that was never bad makes no event. */
function changeEvents(orb: KubeObject, wanted: WantedCondition): readonly EventSpec[] {
  // The failover rules report this reason themselves, together with their reaction.
  if (wanted.reason === 'AllDown') return [];
  const before = conditionOf(orb, wanted.type);
  const isBad = wanted.status === 'False';
  if (wanted.status === 'Unknown' || (!isBad && before?.status !== 'False')) return [];
  return changeEvent(conditionsOf(orb), wanted, { action: ACTION, warning: isBad });
}

/** The version that runs. */
interface Running {
  readonly providers: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
  readonly resolved: readonly string[];
  readonly config: ResolvedSwapConfig | undefined;
  readonly hasSwapConfig: boolean;
}

/** The decision about the active provider. */
interface Chosen {
  readonly status: FailoverStatus;
  readonly swap: SwapRecord | undefined;
  readonly events: readonly EventSpec[];
  readonly step?: FailoverStep;
}

const persistedOf = (orb: KubeObject): FailoverStatus | null => readFailoverStatus(statusOf(orb)['failover']);

/** Windows with too few scrapes can't decide anything (failover.md §11, L3). */
const isEvaluationOfUse = ({ evaluation, scrapeIntervalMs = 0 }: FailoverMoment, config: ResolvedSwapConfig): boolean =>
  evaluation !== undefined && lintScrape(config, scrapeIntervalMs).length === 0;

/** The time of the tick. But a pin may have been followed since, and the result must not be older than that. */
function timeOf({ at }: FailoverEvaluation, persisted: FailoverStatus | null, now: number): number {
  const written = Math.max(persisted?.since ?? 0, persisted?.pin.firstSeen?.at ?? 0);
  return Math.min(now, Math.max(Math.floor(at), written));
}

/** @returns undefined when no provider can be called */
function choose(orb: KubeObject, running: Running, moment: FailoverMoment): Chosen | undefined {
  const { resolved, config, hasSwapConfig } = running;
  const { evaluation, random } = moment;
  if (resolved.length === 0) return undefined;
  const persisted = persistedOf(orb);
  // The epoch of a deleted Lease restarts; the epoch written for an Orb never goes back.
  const epoch = Math.max(moment.epoch, persisted?.epoch ?? 0);
  const common = { now: Math.floor(moment.now), epoch, receiptId: moment.receiptId, resolved, persisted };
  const input = { ...common, pin: failoverPinIn(orb) };
  if (config === undefined || evaluation === undefined || !isEvaluationOfUse(moment, config)) {
    const { next, events } = followPin({ ...input, hasSwapConfig });
    const swap = newSwap(persisted, next);
    return { status: next, swap, events: swapEvents(events, swap) };
  }
  const { metrics, memory, origin } = evaluation;
  const now = timeOf(evaluation, persisted, input.now);
  const step = stepFailover({ input: { ...input, now, random, config, metrics }, memory, origin });
  return { status: step.status, swap: step.swap, events: step.events, step };
}

/** Status and conditions to write for the active provider. */
interface Said {
  readonly chosen: Chosen | undefined;
  /** Absent without an active provider. */
  readonly failover: FailoverStatus | undefined;
  /** Conditions to set. */
  readonly wanted: readonly WantedCondition[];
  /** Conditions of an earlier version, kept unchanged. */
  readonly kept: readonly Condition[];
  /** Moments at which the answer changes by itself, ms since epoch. */
  readonly changesAt: readonly (number | undefined)[];
}

function nextChange(changesAt: Said['changesAt'], now: number): Outcome {
  const next = Math.min(...changesAt.map((at) => (at === undefined || at <= now ? Infinity : at)));
  return next === Infinity ? done : { kind: 'requeue-after', ms: next - now, why: 'a pin or a freeze ends' };
}

function planOf(orb: KubeObject, said: Said, now: number): FailoverPlan {
  const { chosen, failover, wanted, kept, changesAt } = said;
  const generation = generationOf(orb);
  const conditions = [...withTransitions(wanted, conditionsOf(orb), { generation, now }), ...kept];
  return {
    status: {
      ...(failover === undefined ? {} : { failover: writeFailoverStatus(failover) }),
      conditions: conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1)),
    },
    events: [...(chosen?.events ?? []), ...wanted.flatMap((item) => changeEvents(orb, item))],
    outcome: nextChange([...changesAt, failover?.frozen?.until], now),
    ...(chosen?.step === undefined ? {} : { step: chosen.step }),
    ...(chosen?.swap === undefined ? {} : { swap: chosen.swap }),
  };
}

const listed = (condition: WantedCondition | undefined): readonly WantedCondition[] =>
  condition === undefined ? [] : [condition];

function metricsKnown(
  { scrapeIntervalMs }: FailoverMoment,
  config: ResolvedSwapConfig,
  step: FailoverStep | undefined,
): MetricsKnown {
  if (scrapeIntervalMs === undefined) return { kind: 'not-configured' };
  const short = lintScrape(config, scrapeIntervalMs);
  if (short.length > 0) return { kind: 'too-coarse', message: explainFindings(short, 'spec') };
  return step === undefined ? { kind: 'not-evaluated' } : { kind: 'evaluated', step };
}

/** Active provider and pin of the running version: this generation or the one before. */
function runningParts(
  orb: KubeObject,
  running: Running,
  moment: FailoverMoment,
): Pick<Said, 'chosen' | 'failover' | 'changesAt'> & { readonly pinned: readonly WantedCondition[] } {
  const chosen = choose(orb, running, moment);
  const { condition, changesAt } = judgePin(orb, running, { now: moment.now, state: chosen?.status.pin });
  return { chosen, failover: chosen?.status, changesAt: [changesAt], pinned: listed(condition) };
}

function planThis(orb: KubeObject, manifest: Valid, moment: FailoverMoment): FailoverPlan {
  const { swap: config, providers, order } = manifest;
  const running = { ...manifest, config, hasSwapConfig: config !== undefined };
  const { pinned, ...parts } = runningParts(orb, { ...running, resolved: resolvedNames(order, providers) }, moment);
  const { chosen } = parts;
  const { now } = moment;
  const swapping =
    config === undefined || chosen === undefined
      ? []
      : failoverConditions(
          { status: chosen.status, primary: config.primary, metrics: metricsKnown(moment, config, chosen.step), now },
          conditionsOf(orb),
        );
  return planOf(orb, { ...parts, wanted: [providersResolved(manifest), ...pinned, ...swapping], kept: [] }, now);
}

const providersUnknown = (reason: string, message: string): WantedCondition => ({
  type: 'ProvidersResolved',
  status: 'Unknown',
  reason,
  message,
});

const TYPES: readonly string[] = SWAP_CONDITIONS;

/** Conditions of an older version with `swap_config`. Its rules are no longer known, so none of them acts. */
function keptConditions(orb: KubeObject, primary: string, chosen: Chosen | undefined, now: number): Said['kept'] {
  const before = conditionsOf(orb).filter(({ type }) => TYPES.includes(type));
  if (before.length === 0 || chosen === undefined) return before;
  const { status } = chosen;
  const wanted = failoverConditions({ status, primary, metrics: { kind: 'not-evaluated' }, now }, before);
  const said = new Set(wanted.map(({ type }) => type));
  const settings = before.filter(({ type }) => type === 'MetricsAvailable' && !said.has(type));
  return [...settings, ...withTransitions(wanted, before, { generation: generationOf(orb), now })];
}

/**
 * Plan for an older version. Only names are remembered, so its missing providers are known only from an earlier
 * condition.
 */
function planLast(
  orb: KubeObject,
  { names, reason }: { readonly names: readonly string[]; readonly reason: string },
  moment: FailoverMoment,
): FailoverPlan {
  const { now } = moment;
  const providers = new Set(names);
  const hasSwapConfig = conditionsOf(orb).some(({ type }) => TYPES.includes(type));
  const running = { providers, named: providers, resolved: names, config: undefined, hasSwapConfig };
  const { pinned, ...parts } = runningParts(orb, running, moment);
  const swapping = keptConditions(orb, names[0] ?? '', parts.chosen, now);
  const before = conditionOf(orb, 'ProvidersResolved');
  if (before !== undefined && before.status !== 'Unknown') {
    return planOf(orb, { ...parts, wanted: pinned, kept: [before, ...swapping] }, now);
  }
  const unknown = providersUnknown(reason, 'The last valid version keeps running; see Ready.');
  return planOf(orb, { ...parts, wanted: [unknown, ...pinned], kept: swapping }, now);
}

/** Nothing is active. The swap number is kept, so that numbers are never given again when the Orb runs again. */
function planNothing(orb: KubeObject, reason: string, { now }: FailoverMoment): FailoverPlan {
  const persisted = persistedOf(orb);
  const swapped = persisted !== null && persisted.swapSeq > 0 ? persisted : undefined;
  const { condition, changesAt } = judgePin(orb, { nothing: reason }, { now, state: swapped?.pin });
  const unknown = providersUnknown(reason, 'No version of this Orb runs; see Ready.');
  const wanted = [unknown, ...listed(condition)];
  return planOf(orb, { chosen: undefined, failover: swapped, wanted, kept: [], changesAt: [changesAt] }, now);
}

/** The part of an Orb's status that `planFailover` decides (failover.md §6). */
export const FAILOVER_PART = {
  members: ['failover'],
  conditions: ['ProvidersResolved', 'PinValid', ...SWAP_CONDITIONS],
} as const;

/** Plans `failover` and the conditions of the version that runs. */
export function planFailover(snapshot: OrbSnapshot, moment: FailoverMoment): FailoverPlan {
  const { orb, manifest } = snapshot;
  const { kind, reason } = verdictOf(snapshot);
  if (kind === 'ready' && manifest.kind === 'valid') return planThis(orb, manifest, moment);
  const last = reason === ORB_ID_CONFLICT ? undefined : lastValidOf(snapshot);
  return last === undefined
    ? planNothing(orb, reason, moment)
    : planLast(orb, { names: last.providers, reason }, moment);
}
