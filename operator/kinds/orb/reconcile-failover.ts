import { isDeepStrictEqual } from 'node:util';
import { unreportedSwaps } from '../../../core/failover/step.ts';
import { readFailoverStatus } from '../../../core/failover/status-codec.ts';
import { planFailover, type FailoverMoment, type FailoverPlan } from '../../../core/orb/plan-failover.ts';
import type { OrbSnapshot } from '../../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import { statusOf } from '../../../core/reconcile/read-object.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { gatherOrb } from './gather.ts';
import { evaluatedOrb, type PendingEvaluation } from '../../failover/evaluated-orbs.ts';

/**
 * Records the Event of a swap again, because the last leader may have ended before recording it. It is the same Event.
 */
function recordSwapAgain(key: string, orb: KubeObject, moment: FailoverMoment, { recorder, failover }: Context): void {
  if (!failover.isFirst(key)) return;
  const events = unreportedSwaps(readFailoverStatus(statusOf(orb)['failover']), moment.now);
  if (events.length > 0) recorder.record(orb, events);
}

const isSameObject = ({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean =>
  one.uid === other.uid && one.generation === other.generation && one.resourceVersion === other.resourceVersion;

/** Whether a plan of the active provider would have the same inputs. Orbisets don't affect providers. */
const isSameSnapshot = (one: OrbSnapshot, other: OrbSnapshot): boolean =>
  isSameObject(one.orb, other.orb) &&
  one.manifest === other.manifest &&
  isDeepStrictEqual(one.duplicates, other.duplicates);

/**
 * @returns the plan of the tick. Undefined when the Orb changed, another leader was active since, or a pin or freeze
 * has ended
 */
function planStillGood(
  { snapshot: before, moment: then, plan }: PendingEvaluation,
  snapshot: OrbSnapshot,
  { now, epoch }: FailoverMoment,
): FailoverPlan | undefined {
  if (then.epoch !== epoch || !isSameSnapshot(before, snapshot)) return undefined;
  const { outcome } = plan;
  if (outcome.kind !== 'requeue-after') return plan;
  const ms = outcome.ms - (now - then.now);
  return ms > 0 ? { ...plan, outcome: { ...outcome, ms } } : undefined;
}

/** Uses the plan of the tick if it is still good. A newer pin wins over that plan. */
function planOnce(snapshot: OrbSnapshot, moment: FailoverMoment, pending: PendingEvaluation | undefined): FailoverPlan {
  if (pending === undefined) return planFailover(snapshot, moment);
  const { evaluation } = pending.moment;
  return planStillGood(pending, snapshot, moment) ?? planFailover(snapshot, { ...moment, evaluation });
}

/** Effects of a finished write, in this order: memory, Events, counter (failover.md §6). */
function settled(
  { key, orb, plan }: { readonly key: string; readonly orb: KubeObject; readonly plan: FailoverPlan },
  result: 'written' | 'unchanged',
  { recorder, failover }: Context,
): void {
  const of = evaluatedOrb(orb);
  const { step, swap } = plan;
  if (step !== undefined) failover.orbs.remember(key, of, step.memory);
  else if (plan.events.some(({ reason }) => reason === 'ProviderChanged')) failover.orbs.startOver(key, of);
  // Without a write, an Event of the plan would repeat at every reconcile. Events of a step occur once.
  const events = result === 'written' ? plan.events : (step?.events ?? []);
  if (events.length > 0) recorder.record(orb, events);
  if (result !== 'written' || swap === undefined) return;
  failover.gauges.swapped(of, swap.from, swap.to, swap.reason);
}

/**
 * Writes active provider, providers and pin of an Orb; no other code does. It follows pins at once, and writes the
 * decision of a tick for the key. On a write conflict the decision is dropped: the next tick evaluates again.
 */
export async function reconcileFailover(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orb = liveObject(context.stores.orb, key);
  if (orb === undefined) return done;
  const pending = context.failover.orbs.takePending(key, evaluatedOrb(orb));
  const moment = context.failover.moment();
  recordSwapAgain(key, orb, moment, context);
  const plan = planOnce(gatherOrb(orb, context), moment, pending);
  if (plan.status === undefined) return plan.outcome;
  const result = await context.writer.write(context.owners.failover, orb, plan.status, signal);
  if (result === 'gone') return done;
  settled({ key, orb, plan }, result, context);
  return plan.outcome;
}
