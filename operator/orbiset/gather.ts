import type { OrbisetSnapshot } from '../../core/orbiset/plan-orbiset.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from '../context.ts';
import { listedOrbs, orbPlace } from '../indexes.ts';

/** What the plan of an Orbiset is made from: caches only. */
export function gatherOrbiset(orbiset: KubeObject, context: Context): OrbisetSnapshot {
  const { stores, platformNamespace, vaultMode: mode } = context;
  const { namespace = '' } = orbiset.metadata;
  const isThere = (name: string): boolean =>
    [namespace, platformNamespace].some((place) => stores.orb.byIndex('orb', orbPlace(place, name)).length > 0);
  return {
    orbiset,
    platformNamespace,
    mode,
    bindings: stores.roleBinding.byIndex('namespace', namespace),
    unknownOrbs: listedOrbs(orbiset).filter((name) => !isThere(name)),
  };
}
