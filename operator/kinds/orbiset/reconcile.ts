import { planOrbiset, type OrbisetSnapshot } from '../../../core/orbiset/plan-orbiset.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { claimsTo } from '../orb/gather.ts';
import { listedOrbs } from './indexes.ts';

/** Inputs of the plan of an Orbiset, from caches only. */
export function gatherOrbiset(orbiset: KubeObject, context: Context): OrbisetSnapshot {
  const { stores, platformNamespace, apiAccount, vaultMode: mode } = context;
  const { namespace = '' } = orbiset.metadata;
  const isThere = (name: string): boolean =>
    [namespace, platformNamespace].some((place) => claimsTo(place, name, context).length > 0);
  return {
    orbiset,
    platformNamespace,
    apiAccount,
    mode,
    bindings: stores.roleBinding.byIndex('namespace', namespace),
    unknownOrbs: listedOrbs(orbiset).filter((name) => !isThere(name)),
  };
}

/** Reconciles whether an Orbiset accepts runs, and if not, why. */
export async function reconcileOrbiset(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const orbiset = liveObject(context.stores.orbiset, key);
  if (orbiset === undefined) return done;
  const plan = planOrbiset(gatherOrbiset(orbiset, context), context.clock.now());
  return writePlan({ owner: context.owners.orbiset, object: orbiset, plan }, context, signal);
}
