import { effectiveProvider, isPinFollowed, type ProviderNames } from '../failover/effective-provider.ts';
import { isJsonObject } from '../json/json-value.ts';
import { withTransitions, type Condition, type WantedCondition } from '../reconcile/conditions.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { done, type Outcome } from '../reconcile/outcome.ts';
import type { Plan } from '../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, statusOf } from '../reconcile/read-object.ts';
import { changeEvent } from '../reconcile/verdict.ts';
import type { JudgedManifest } from './plan-manifest.ts';
import { lastValidOf, ORB_ID_CONFLICT, verdictOf, type OrbSnapshot } from './plan-orb.ts';
import { judgePin } from './plan-pin.ts';
import { isJudged } from './valid-version.ts';

type Valid = JudgedManifest & { readonly kind: 'valid' };

/** `Orb.status.failover` as far as a pin and the manifest decide it (failover.md §6). */
interface Failover {
  readonly activeProvider: string;
  /** RFC 3339: when it became the active one. */
  readonly since: string;
  readonly reason: 'primary' | 'manual';
}

const ACTION = 'ChooseProvider';

function providersResolved({ unresolved }: Valid): WantedCondition {
  return unresolved === ''
    ? { type: 'ProvidersResolved', status: 'True', reason: 'AllResolved', message: 'Every provider has an execution.' }
    : { type: 'ProvidersResolved', status: 'False', reason: 'ProviderUndefined', message: unresolved };
}

/** What the status says of the active provider; undefined when it says nothing that can be read. */
function failoverOf(orb: KubeObject): { readonly activeProvider: string; readonly since: string } | undefined {
  const { failover } = statusOf(orb);
  if (!isJsonObject(failover)) return undefined;
  const { activeProvider, since } = failover;
  return typeof activeProvider === 'string' && typeof since === 'string' ? { activeProvider, since } : undefined;
}

/** What is known of the version that runs. */
interface Running {
  readonly providers: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
  readonly order: readonly string[];
}

/** `since` moves only with the provider; a pin to the one that is active anyway changes the reason alone. */
function chooseProvider(orb: KubeObject, choice: ProviderNames, now: number): Failover | undefined {
  const activeProvider = effectiveProvider(choice, now);
  if (activeProvider === undefined) return undefined;
  const before = failoverOf(orb);
  const since = before?.activeProvider === activeProvider ? before.since : new Date(now).toISOString();
  return { activeProvider, since, reason: isPinFollowed(choice, now) ? 'manual' : 'primary' };
}

function switched(orb: KubeObject, next: Failover | undefined): readonly EventSpec[] {
  const before = failoverOf(orb)?.activeProvider;
  if (before === undefined || next === undefined || before === next.activeProvider) return [];
  const note = `"${next.activeProvider}" is used instead of "${before}" (${next.reason}).`;
  return [{ type: 'Normal', reason: 'ProviderChanged', action: ACTION, note }];
}

/** What turned bad, what is good again, and a pin that ended: Events. What was never bad is none. */
function told(orb: KubeObject, wanted: WantedCondition): readonly EventSpec[] {
  const before = conditionOf(orb, wanted.type);
  const isBad = wanted.status === 'False';
  // A pin that had ended before anybody looked did not end now.
  const hasEnded = wanted.reason === 'PinExpired' && before !== undefined;
  if (wanted.status === 'Unknown' || (!isBad && !hasEnded && before?.status !== 'False')) return [];
  return changeEvent(conditionsOf(orb), wanted, { action: ACTION, warning: isBad });
}

function untilChange(changesAt: number | undefined, now: number): Outcome {
  return changesAt === undefined
    ? done
    : { kind: 'requeue-after', ms: changesAt - now, why: 'the pin changes its state' };
}

const untouched: Plan = { events: [], outcome: done };

/** What is written and told of the pin and of the conditions beside it. */
interface Said {
  readonly failover?: Failover;
  /** To be told of. */
  readonly wanted: readonly WantedCondition[];
  /** Of an earlier version, as they were. */
  readonly kept?: readonly Condition[];
  readonly changesAt: number | undefined;
}

function planOf(orb: KubeObject, { failover, wanted, kept = [], changesAt }: Said, now: number): Plan {
  const generation = generationOf(orb);
  const conditions = [...withTransitions(wanted, conditionsOf(orb), { generation, now }), ...kept];
  return {
    status: {
      ...(failover === undefined ? {} : { failover }),
      conditions: conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1)),
    },
    events: [...wanted.flatMap((item) => told(orb, item)), ...switched(orb, failover)],
    outcome: untilChange(changesAt, now),
  };
}

const listed = (condition: WantedCondition | undefined): readonly WantedCondition[] =>
  condition === undefined ? [] : [condition];

/** This generation runs, or the one before: pin and active provider are those of what runs. */
function runningParts(
  orb: KubeObject,
  running: Running,
  now: number,
): Pick<Said, 'failover' | 'changesAt'> & { readonly pinned: readonly WantedCondition[] } {
  const { pin, condition, changesAt } = judgePin(orb, running, now);
  const failover = chooseProvider(orb, { ...running, pin }, now);
  return { ...(failover === undefined ? {} : { failover }), changesAt, pinned: listed(condition) };
}

function planThis(orb: KubeObject, manifest: Valid, now: number): Plan {
  const { pinned, ...parts } = runningParts(orb, manifest, now);
  return planOf(orb, { ...parts, wanted: [providersResolved(manifest), ...pinned] }, now);
}

const providersUnknown = (reason: string, message: string): WantedCondition => ({
  type: 'ProvidersResolved',
  status: 'Unknown',
  reason,
  message,
});

/** Which of its providers an older version misses was said of it, or is not known: only names are remembered. */
function planLast(
  orb: KubeObject,
  { names, reason }: { readonly names: readonly string[]; readonly reason: string },
  now: number,
): Plan {
  const providers = new Set(names);
  const { pinned, ...parts } = runningParts(orb, { providers, named: providers, order: names.slice(0, 1) }, now);
  const before = conditionOf(orb, 'ProvidersResolved');
  if (before !== undefined && before.status !== 'Unknown') {
    return planOf(orb, { ...parts, wanted: pinned, kept: [before] }, now);
  }
  const unknown = providersUnknown(reason, 'The last valid version runs on; see Ready.');
  return planOf(orb, { ...parts, wanted: [unknown, ...pinned] }, now);
}

function planNothing(orb: KubeObject, reason: string, now: number): Plan {
  const { condition, changesAt } = judgePin(orb, { nothing: reason }, now);
  const unknown = providersUnknown(reason, 'No version of this Orb runs; see Ready.');
  return planOf(orb, { wanted: [unknown, ...listed(condition)], changesAt }, now);
}

/**
 * Status of an Orb as the manager `orb-operator-failover` owns it: `failover`, `ProvidersResolved`, `PinValid`
 * (security.md §6.1), of the version that runs. A pin is followed, not counted. A generation that `planOrb` has not seen yet
 * is left for the change that tells of it, so that the two managers write one after the other.
 * @param now ms since epoch
 */
export function planFailover(snapshot: OrbSnapshot, now: number): Plan {
  const { orb, manifest } = snapshot;
  if (!isJudged(orb)) return untouched;
  const { kind, reason } = verdictOf(snapshot);
  if (kind === 'ready' && manifest.kind === 'valid') return planThis(orb, manifest, now);
  const last = reason === ORB_ID_CONFLICT ? undefined : lastValidOf(snapshot);
  return last === undefined ? planNothing(orb, reason, now) : planLast(orb, { names: last.providers, reason }, now);
}
