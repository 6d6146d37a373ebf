import type { KubeObject, OwnerReference } from '../reconcile/kube-object.ts';
import { hasWantedContent, isForeign, isOurs, vaultReaderBinding, type VaultReaderBinding } from './vault-reader.ts';

/** One namespace, as far as its RoleBinding goes. */
export interface RoleBindingSnapshot {
  readonly namespace: string;
  readonly platformNamespace: string;
  /** Every Orbiset of the namespace, whatever its spec says. */
  readonly orbisets: readonly KubeObject[];
  /** The one named `orb-vault-reader`. */
  readonly binding: KubeObject | undefined;
}

export type RoleBindingPlan =
  | { readonly kind: 'keep' }
  /** `uid` of the one to change; absent: there is none, and a live look must say so too. */
  | { readonly kind: 'apply'; readonly binding: VaultReaderBinding; readonly uid: string | undefined }
  /** Ours, of a namespace without an Orbiset. `isOwned`: the garbage collector should take it along with its owners. */
  | { readonly kind: 'delete'; readonly uid: string; readonly isOwned: boolean }
  /** Somebody else's, with other content. */
  | { readonly kind: 'foreign' };

const keep: RoleBindingPlan = { kind: 'keep' };

/** An Orbiset that is going away owns nothing any more: the garbage collector needs no new owner to wait for. */
const ownersOf = (orbisets: readonly KubeObject[]): readonly OwnerReference[] =>
  orbisets
    .flatMap(({ apiVersion, kind, metadata: { name, uid, deletionTimestamp } }) =>
      uid === undefined || deletionTimestamp !== undefined ? [] : [{ apiVersion, kind, name, uid }],
    )
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1));

const uidsOf = (owners: readonly OwnerReference[]): string =>
  owners
    .map(({ uid }) => uid)
    .toSorted()
    .join(' ');

function planLeftover(binding: KubeObject): RoleBindingPlan {
  const { uid, ownerReferences = [], deletionTimestamp } = binding.metadata;
  if (uid === undefined || deletionTimestamp !== undefined || !isOurs(binding)) return keep;
  return { kind: 'delete', uid, isOwned: ownerReferences.length > 0 };
}

/**
 * What to do about the RoleBinding of a namespace (security.md §6.1): there while it holds an Orbiset, owned by each of
 * them, so that the garbage collector removes it with the last. Somebody else's is never touched.
 */
export function planRoleBinding({
  namespace,
  platformNamespace,
  orbisets,
  binding,
}: RoleBindingSnapshot): RoleBindingPlan {
  const owners = ownersOf(orbisets);
  if (owners.length === 0) return binding === undefined ? keep : planLeftover(binding);
  const wanted = vaultReaderBinding(namespace, platformNamespace, owners);
  if (binding === undefined) return { kind: 'apply', binding: wanted, uid: undefined };
  if (isForeign(binding, platformNamespace)) return { kind: 'foreign' };
  if (!isOurs(binding)) return keep;
  const { uid, ownerReferences = [], deletionTimestamp } = binding.metadata;
  if (deletionTimestamp !== undefined) return keep;
  const isOwned = uidsOf(ownerReferences) === uidsOf(owners);
  return isOwned && hasWantedContent(binding, platformNamespace) ? keep : { kind: 'apply', binding: wanted, uid };
}
