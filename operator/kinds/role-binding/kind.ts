import { KINDS } from '../../../adapters/kube/kinds.ts';
import { type Change, KubeError } from '../../../adapters/kube/port.ts';
import { bindsTheApi, VAULT_READER, bindingCommand } from '../../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { Stores, Context } from '../context.ts';
import { addAll, laneOf, namespaceOf, type Enqueue, type OperatorKind } from '../kind.ts';
import type { EventSpec } from '../../../core/reconcile/event-spec.ts';
import { answerOf, reconcileFailed, type FailureReport } from '../report-failure.ts';
import { reconcileRoleBinding } from './reconcile.ts';

// Only a person can fix these: missing rights, an admission policy, a quota.
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 422]);

const isRefusal = (error: unknown): boolean => error instanceof KubeError && REFUSALS.has(error.status);

/**
 * Reports failures on the Orbisets of the namespace, because they wait for the RoleBinding. The RoleBinding has no
 * status and may not exist. Keys are namespaces.
 */
export const bindingFailure = (
  context: Pick<Context, 'stores' | 'platformNamespace' | 'apiAccount'>,
): FailureReport => ({
  objectsOf: (namespace) => context.stores.orbiset.byIndex('namespace', namespace),
  eventOf: (namespace, error): EventSpec => {
    if (!isRefusal(error)) return reconcileFailed(error);
    const note = `The RoleBinding ${VAULT_READER} can not be written, so the API reads no Secret here: ${answerOf(error) ?? ''}. Let the operator write RoleBindings and bind the ClusterRole ${VAULT_READER} (operator-vault.yaml), past admission policies and quotas; or make it: ${bindingCommand(namespace, context)}`;
    return { type: 'Warning', reason: 'RoleBindingRefused', action: 'BindVaultReader', note };
  },
});

function bindingChanged(change: Change, { queues, stores }: Enqueue): void {
  const namespace = namespaceOf(change);
  queues.roleBinding.add(namespace, { lane: laneOf(change) });
  if (!change.initial) addAll(queues.orbiset, stores.orbiset.byIndex('namespace', namespace));
}

/** Namespaces that hold an Orbiset or did before. */
const namespaces = ({ orbiset, roleBinding }: Stores): Iterable<string> =>
  new Set([...orbiset.list(), ...roleBinding.list()].map(({ metadata }) => metadata.namespace ?? ''));

/** RoleBindings to `orb-vault-reader`. The keys of their controller are namespaces. */
export const roleBindingKind: OperatorKind<'roleBinding', 'roleBinding'> = {
  name: 'roleBinding',
  kind: KINDS.roleBinding,
  indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
  // The operator needs only the RoleBinding that it makes. A tenant may choose another name.
  cached: ({ vaultMode, ...api }) =>
    vaultMode === 'tenant'
      ? { transform: (binding: KubeObject) => (bindsTheApi(binding, api) ? binding : undefined) }
      : { selection: { fieldSelector: `metadata.name=${VAULT_READER}` } },
  changed: bindingChanged,
  refOf: (namespace) => ({ namespace, name: VAULT_READER }),
  concerns: [
    {
      name: 'roleBinding',
      controller: 'role-binding',
      reconcile: reconcileRoleBinding,
      keys: namespaces,
      isUsed: ({ vaultMode }) => vaultMode === 'operator',
      failure: bindingFailure,
    },
  ],
};
