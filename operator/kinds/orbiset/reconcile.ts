import { planOrbiset } from '../../../core/orbiset/plan-orbiset.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';
import { gatherOrbiset } from './gather.ts';

/** Reconciles whether an Orbiset accepts runs, and if not, why. */
export async function reconcileOrbiset(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orbiset = liveObject(context.stores.orbiset, key);
  if (orbiset === undefined) return done;
  const plan = planOrbiset(gatherOrbiset(orbiset, context), context.clock.now());
  return writePlan({ owner: context.owners.orbiset, object: orbiset, plan }, context, signal);
}
