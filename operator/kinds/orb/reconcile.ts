import { planOrb } from '../../../core/orb/plan-orb.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';
import { gatherOrb } from './gather.ts';

/** Reconciles id, manifest and `validDigest` of an Orb. */
export async function reconcileOrb(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orb = liveObject(context.stores.orb, key);
  if (orb === undefined) return done;
  const plan = planOrb(gatherOrb(orb, context), context.clock.now());
  return writePlan({ owner: context.owners.orb, object: orb, plan }, context, signal);
}
