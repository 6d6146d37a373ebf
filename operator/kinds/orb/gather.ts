import { claimOf, type Claim } from '../../../core/orb/plan-holder.ts';
import type { OrbSnapshot } from '../../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { Context } from '../context.ts';
import { namesOfId, orbPlace } from './indexes.ts';

type Judging = Pick<Context, 'stores' | 'judgements'>;

const claimBy = (orb: KubeObject, { judgements }: Judging): Claim | undefined =>
  claimOf(orb, judgements.of(orb).kind === 'valid');

/** Claims of the Orbs of a namespace. @param name `org.name` or `org.name@version` */
export const claimsTo = (namespace: string, name: string, context: Judging): readonly Claim[] =>
  context.stores.orb.byIndex('orb', orbPlace(namespace, name)).flatMap((orb) => {
    const claim = claimBy(orb, context);
    return claim !== undefined && namesOfId(claim.orbId).includes(name) ? [claim] : [];
  });

/** Other Orbs of the namespace that claim the same id. */
function duplicatesOf(orb: KubeObject, context: Judging): readonly Claim[] {
  const { name, namespace = '' } = orb.metadata;
  const claim = claimBy(orb, context);
  return claim === undefined
    ? []
    : claimsTo(namespace, claim.orbId, context).filter((duplicate) => duplicate.name !== name);
}

/**
 * Every Orbiset of the namespace. For an Orb that the platform shares, also those that list it (design.md §2). Empty
 * without a cluster: vault files bind secrets that no spec names, so bindings can't be judged.
 */
function runnersOf(orb: KubeObject, context: Context): readonly KubeObject[] {
  const { stores, judgements, platformNamespace, vaultMode } = context;
  const { namespace = '' } = orb.metadata;
  if (vaultMode === 'local') return [];
  const own = stores.orbiset.byIndex('namespace', namespace);
  const claim = namespace === platformNamespace ? claimBy(orb, { stores, judgements }) : undefined;
  const names = claim === undefined ? [] : namesOfId(claim.orbId);
  return [...own, ...names.flatMap((name) => stores.orbiset.byIndex('lists', name))];
}

/** Inputs of the plans of an Orb, from caches only. */
export const gatherOrb = (orb: KubeObject, context: Context): OrbSnapshot => ({
  orb,
  duplicates: duplicatesOf(orb, context),
  manifest: context.judgements.of(orb),
  orbisets: runnersOf(orb, context),
});
