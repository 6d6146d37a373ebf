import type { KubeObject, OwnerReference } from '../reconcile/kube-object.ts';
import {
  hasWantedContent,
  isForeign,
  isOperatorOwned,
  vaultReaderBinding,
  type ApiIdentity,
  type VaultReaderBinding,
} from './vault-reader.ts';

/** One namespace, with the facts that its RoleBinding depends on. */
export interface RoleBindingSnapshot extends ApiIdentity {
  readonly namespace: string;
  /** Every Orbiset of the namespace, valid or not. */
  readonly orbisets: readonly KubeObject[];
  /** The RoleBinding named `orb-vault-reader`. */
  readonly binding: KubeObject | undefined;
}

export type RoleBindingPlan =
  | { readonly kind: 'keep' }
  /** `uid` of the binding to change. Absent when the cache holds no binding; check with a live read before you create one. */
  | { readonly kind: 'apply'; readonly binding: VaultReaderBinding; readonly uid: string | undefined }
  /**
   * Our RoleBinding in a namespace without an Orbiset. `isOwned`: the garbage collector should remove it with its
   * owners.
   */
  | { readonly kind: 'delete'; readonly uid: string; readonly isOwned: boolean }
  /** Another writer's RoleBinding, with other content. */
  | { readonly kind: 'foreign' };

const keep: RoleBindingPlan = { kind: 'keep' };

/** An Orbiset that is being deleted is not an owner: the garbage collector must not wait for it. */
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
  if (uid === undefined || deletionTimestamp !== undefined || !isOperatorOwned(binding)) return keep;
  return { kind: 'delete', uid, isOwned: ownerReferences.length > 0 };
}

/**
 * What to do about the RoleBinding of a namespace (security.md §6.1). It exists while the namespace holds an Orbiset.
 * Each Orbiset owns it, so the garbage collector removes it with the last. Another writer's RoleBinding is never
 * touched.
 */
export function planRoleBinding(snapshot: RoleBindingSnapshot): RoleBindingPlan {
  const { namespace, orbisets, binding } = snapshot;
  const owners = ownersOf(orbisets);
  if (owners.length === 0) return binding === undefined ? keep : planLeftover(binding);
  const wanted = vaultReaderBinding(namespace, snapshot, owners);
  if (binding === undefined) return { kind: 'apply', binding: wanted, uid: undefined };
  if (isForeign(binding, snapshot)) return { kind: 'foreign' };
  if (!isOperatorOwned(binding)) return keep;
  const { uid, ownerReferences = [], deletionTimestamp } = binding.metadata;
  if (deletionTimestamp !== undefined) return keep;
  const isOwned = uidsOf(ownerReferences) === uidsOf(owners);
  return isOwned && hasWantedContent(binding, snapshot) ? keep : { kind: 'apply', binding: wanted, uid };
}
