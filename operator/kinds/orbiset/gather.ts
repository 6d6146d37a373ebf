import type { OrbisetSnapshot } from '../../../core/orbiset/plan-orbiset.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { Context } from '../context.ts';
import { listedOrbs } from './indexes.ts';
import { claimsTo } from '../orb/gather.ts';

/** Inputs of the plan of an Orbiset, from caches only. */
export function gatherOrbiset(orbiset: KubeObject, context: Context): OrbisetSnapshot {
  const { stores, platformNamespace, vaultMode: mode } = context;
  const { namespace = '' } = orbiset.metadata;
  const isThere = (name: string): boolean =>
    [namespace, platformNamespace].some((place) => claimsTo(place, name, context).length > 0);
  return {
    orbiset,
    platformNamespace,
    mode,
    bindings: stores.roleBinding.byIndex('namespace', namespace),
    unknownOrbs: listedOrbs(orbiset).filter((name) => !isThere(name)),
  };
}
