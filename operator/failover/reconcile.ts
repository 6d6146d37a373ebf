import { untoldSwaps } from '../../core/failover/step.ts';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import { planFailover, type FailoverMoment, type FailoverPlan } from '../../core/orb/plan-failover.ts';
import { wantedOrbId } from '../../core/orb/plan-holder.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import { statusOf } from '../../core/reconcile/read-object.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { gatherOrb } from '../orb/gather.ts';
import type { EvaluatedOrb } from './evaluated-orbs.ts';

export const evaluatedOrb = (orb: KubeObject): EvaluatedOrb => ({
  namespace: orb.metadata.namespace ?? '',
  orbId: wantedOrbId(orb) ?? '',
  uid: orb.metadata.uid ?? '',
});

/** The leader before this one may have ended between a swap and its Event: told again, it is the same Event. */
function tellLate(key: string, orb: KubeObject, moment: FailoverMoment, { recorder, failover }: Context): void {
  if (!failover.isFirst(key)) return;
  const events = untoldSwaps(readFailoverStatus(statusOf(orb)['failover']), moment.now);
  if (events.length > 0) recorder.record(orb, events);
}

/** What holds from the write on: memory, Events, counter, in this order (failover.md §6). */
function settled(
  { key, orb, plan }: { readonly key: string; readonly orb: KubeObject; readonly plan: FailoverPlan },
  result: 'written' | 'unchanged',
  { recorder, failover }: Context,
): void {
  const of = evaluatedOrb(orb);
  const { step, swap } = plan;
  if (step !== undefined) failover.orbs.remember(key, of, step.memory);
  else if (plan.events.some(({ reason }) => reason === 'ProviderChanged')) failover.orbs.startOver(key, of);
  // An Event without a write would come again with every look; those of a step come once.
  const events = result === 'written' ? plan.events : (step?.events ?? []);
  if (events.length > 0) recorder.record(orb, events);
  if (result !== 'written' || swap === undefined) return;
  failover.gauges.swapped(of, swap.from, swap.to, swap.reason);
}

/**
 * Active provider, providers and pin of an Orb, and the one place that writes them: follows pins at once, and decides on the
 * figures that a tick has left for the key. A write that meets a conflict drops what was decided: the next tick looks again.
 */
export async function reconcileFailover(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orb = liveObject(context.stores.orb, key);
  if (orb === undefined) return done;
  const look = context.failover.orbs.take(key, evaluatedOrb(orb));
  const moment = { ...context.failover.moment(), ...(look === undefined ? {} : { look }) };
  tellLate(key, orb, moment, context);
  const plan = planFailover(gatherOrb(orb, context), moment);
  if (plan.status === undefined) return plan.outcome;
  const result = await context.writer.write(context.owners.failover, orb, plan.status, signal);
  if (result === 'gone') return done;
  settled({ key, orb, plan }, result, context);
  return plan.outcome;
}
