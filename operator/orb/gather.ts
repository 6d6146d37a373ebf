import { wantedOrbId } from '../../core/orb/plan-holder.ts';
import type { OrbSnapshot } from '../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from '../context.ts';
import { orbPlace } from '../indexes.ts';

/** Other Orbs of the namespace that ask for the same id. */
function twinsOf(orb: KubeObject, { orb: store }: Context['stores']): readonly KubeObject[] {
  const { name, namespace = '' } = orb.metadata;
  const id = wantedOrbId(orb);
  if (id === undefined) return [];
  return store.byIndex('orb', orbPlace(namespace, id)).filter(({ metadata }) => metadata.name !== name);
}

/** What the plans of an Orb are made from: caches only. */
export const gatherOrb = (orb: KubeObject, { stores, judgements }: Context): OrbSnapshot => ({
  orb,
  twins: twinsOf(orb, stores),
  manifest: judgements.of(orb),
});
