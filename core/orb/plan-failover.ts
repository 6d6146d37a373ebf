import { effectiveProvider } from '../failover/effective-provider.ts';
import { isJsonObject } from '../json/json-value.ts';
import { withTransitions, type WantedCondition } from '../reconcile/conditions.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { done, type Outcome } from '../reconcile/outcome.ts';
import type { OwnedStatus, Plan } from '../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, statusOf } from '../reconcile/read-object.ts';
import { changeEvent } from '../reconcile/verdict.ts';
import type { JudgedManifest } from './plan-manifest.ts';
import { ORB_ID_CONFLICT, verdictOf, type OrbSnapshot } from './plan-orb.ts';
import { judgePin, type JudgedPin } from './plan-pin.ts';

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

/** `since` moves only with the provider; a pin to the one that is active anyway changes the reason alone. */
function chooseProvider(orb: KubeObject, manifest: Valid, pin: JudgedPin['pin'], now: number): Failover | undefined {
  const activeProvider = effectiveProvider({ ...manifest, pin }, now);
  if (activeProvider === undefined) return undefined;
  const before = failoverOf(orb);
  const since = before?.activeProvider === activeProvider ? before.since : new Date(now).toISOString();
  const isPinned = pin !== undefined && pin.expiresAt > now;
  return { activeProvider, since, reason: isPinned ? 'manual' : 'primary' };
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
  if (!isBad && !hasEnded && before?.status !== 'False') return [];
  return changeEvent(conditionsOf(orb), wanted, { action: ACTION, warning: isBad });
}

const stamped = (orb: KubeObject, wanted: readonly WantedCondition[], now: number): OwnedStatus['conditions'] =>
  withTransitions(wanted, conditionsOf(orb), { generation: generationOf(orb), now });

function untilChange(changesAt: number | undefined, now: number): Outcome {
  return changesAt === undefined
    ? done
    : { kind: 'requeue-after', ms: changesAt - now, why: 'the pin changes its state' };
}

function planRunning(orb: KubeObject, manifest: Valid, now: number): Plan {
  const { pin, condition, changesAt } = judgePin(orb, manifest, now);
  const failover = chooseProvider(orb, manifest, pin, now);
  const wanted = [providersResolved(manifest), ...(condition === undefined ? [] : [condition])];
  return {
    status: { ...(failover === undefined ? {} : { failover }), conditions: stamped(orb, wanted, now) },
    events: [...wanted.flatMap((item) => told(orb, item)), ...switched(orb, failover)],
    outcome: untilChange(changesAt, now),
  };
}

const keep: Plan = { events: [], outcome: done };

/**
 * Status of an Orb as the manager `orb-operator-failover` owns it: `failover`, `ProvidersResolved`, `PinValid`
 * (security.md §6.1). A pin is followed, not counted. While an older version runs, what is said of that one stays: the
 * operator has no ledger to read it from. A generation that `planOrb` has not seen yet is left for the change that tells of
 * it, so that the two managers write one after the other.
 * @param now ms since epoch
 */
export function planFailover(snapshot: OrbSnapshot, now: number): Plan {
  const { orb, manifest } = snapshot;
  if (statusOf(orb)['observedGeneration'] !== generationOf(orb)) return keep;
  const verdict = verdictOf(snapshot);
  if (verdict.kind === 'ready' && manifest.kind === 'valid') return planRunning(orb, manifest, now);
  if (failoverOf(orb) !== undefined && verdict.reason !== ORB_ID_CONFLICT) return keep;
  const message = 'No version of this Orb runs; see Ready.';
  const unknown: WantedCondition = { type: 'ProvidersResolved', status: 'Unknown', reason: verdict.reason, message };
  return { status: { conditions: stamped(orb, [unknown], now) }, events: [], outcome: done };
}
