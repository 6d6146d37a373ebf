import { KubeError } from '../../../adapters/kube/port.ts';
import { bindingCommand, VAULT_READER } from '../../../core/orbiset/vault-reader.ts';
import type { EventSpec } from '../../../core/reconcile/event-spec.ts';
import type { Context } from '../context.ts';
import { answerOf, reconcileFailed, type FailureReport } from '../report-failure.ts';

// Only a person can fix these: missing rights, an admission policy, a quota.
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 422]);

const isRefusal = (error: unknown): boolean => error instanceof KubeError && REFUSALS.has(error.status);

/**
 * Reports failures on the Orbisets of the namespace, because they wait for the RoleBinding. The RoleBinding has no
 * status and may not exist. Keys are namespaces.
 */
export const bindingFailure = ({
  stores,
  platformNamespace,
}: Pick<Context, 'stores' | 'platformNamespace'>): FailureReport => ({
  objectsOf: (namespace) => stores.orbiset.byIndex('namespace', namespace),
  eventOf: (namespace, error): EventSpec => {
    if (!isRefusal(error)) return reconcileFailed(error);
    const note = `The RoleBinding ${VAULT_READER} can not be written, so the API reads no Secret here: ${answerOf(error) ?? ''}. Let the operator write RoleBindings and bind the ClusterRole ${VAULT_READER} (operator-vault.yaml), and check admission policies and quotas; or create it: ${bindingCommand(namespace, platformNamespace)}`;
    return { type: 'Warning', reason: 'RoleBindingRefused', action: 'BindVaultReader', note };
  },
});
