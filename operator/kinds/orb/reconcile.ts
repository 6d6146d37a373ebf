import { statusDiffers } from '../../../adapters/kube/status-writer.ts';
import { FAILOVER_PART, type FailoverPlan } from '../../../core/orb/plan-failover.ts';
import { planOrb, VERDICT_PART } from '../../../core/orb/plan-orb.ts';
import { joinPlans } from '../../../core/orb/plan-status.ts';
import type { EventSpec } from '../../../core/reconcile/event-spec.ts';
import { formerManagerOf } from '../../../core/reconcile/former-managers.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { StatusPlan } from '../../../core/reconcile/plan.ts';
import { evaluatedOrb } from '../../failover/evaluated-orbs.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { decideFailover, rememberStep } from './failover-decision.ts';
import { gatherOrb } from './gather.ts';

interface Plans {
  readonly verdict: StatusPlan;
  readonly failover: FailoverPlan;
}

/**
 * Events of the parts that the write changes. Without a change, an Event of a plan would repeat at every reconcile.
 * Events of a step occur once.
 */
function newsOf(orb: KubeObject, { verdict, failover }: Plans): readonly EventSpec[] {
  const isNew = statusDiffers(VERDICT_PART, orb, verdict.status);
  const isMoved = statusDiffers(FAILOVER_PART, orb, failover.status);
  return [...(isNew ? verdict.events : []), ...(isMoved ? failover.events : (failover.step?.events ?? []))];
}

/** The Orb of a key. A status that an earlier version wrote by two managers is taken over first. */
async function orbOf(key: string, context: Context, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { stores, owners, writer } = context;
  const orb = liveObject(stores.orb, key);
  const formerManager = orb === undefined ? undefined : formerManagerOf(orb);
  if (orb === undefined || formerManager === undefined) return orb;
  await writer.takeOver(owners.orb, orb, formerManager, signal);
  return liveObject(stores.orb, key);
}

/**
 * Decides id, manifest and active provider of an Orb, and writes them by one apply; no other code does. On a write
 * conflict all decisions are dropped: the next run decides again, and the next tick evaluates again. The effects of a
 * finished write come in this order: memory, Events, counter (failover.md §6).
 */
export async function reconcileOrb(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orb = await orbOf(key, context, signal);
  if (orb === undefined) return done;
  const snapshot = gatherOrb(orb, context);
  const plans = { verdict: planOrb(snapshot, context.clock.now()), failover: decideFailover(snapshot, context) };
  const { status, outcome } = joinPlans(plans.verdict, plans.failover);
  const news = newsOf(orb, plans);
  const result = await context.writer.write(context.owners.orb, orb, status, signal);
  if (result === 'gone') return done;
  rememberStep(orb, plans.failover, context);
  if (news.length > 0) context.recorder.record(orb, news);
  const { swap } = plans.failover;
  if (result === 'written' && swap !== undefined)
    context.failover.gauges.swapped(evaluatedOrb(orb), swap.from, swap.to, swap.reason);
  return outcome;
}
