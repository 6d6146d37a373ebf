import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { bindsTheApi, VAULT_READER } from '../../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { Stores } from '../context.ts';
import { addAll, laneOf, namespaceOf, type Enqueue, type OperatorKind } from '../kind.ts';
import { reconcileRoleBinding } from './reconcile.ts';
import { bindingFailure } from './report-refusal.ts';

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
  cached: ({ vaultMode, platformNamespace }) =>
    vaultMode === 'tenant'
      ? { transform: (binding: KubeObject) => (bindsTheApi(binding, platformNamespace) ? binding : undefined) }
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
